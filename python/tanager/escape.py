"""Names are data: whatever stands in one, it comes out as text, on a terminal, in a page, a plot or a table.

Names of columns, classes, files and sequences come from files that others wrote. None of them may move a
cursor, run a script, be taken for markup or mathematics, or make a file that other programs cannot read.
"""

from __future__ import annotations

import codecs
import html
import re

__all__ = ["NEAREST", "json_text", "markdown_text", "plot_text", "printable", "spreadsheet_field", "xml_text"]

# Control characters, marks that turn the direction of text, halves of surrogate pairs, and what is no
# character: terminals obey some of them, XML forbids others.
_UNSEEN = (
    "\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ufffe\uffff"
)
_UNPRINTABLE = re.compile(f"[{_UNSEEN}\ud800-\udfff]")
_UNPRINTABLE_IN_LINES = re.compile(f"(?![\n\t])[{_UNSEEN}\ud800-\udfff]")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_MARKDOWN = re.compile(r"[\\`*\[\]~$]|(?<!\w)_|_(?!\w)")


def _spelled(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape", "surrogatepass").decode("ascii")


def printable(text: object, lines: bool = False) -> str:
    r"""Text with everything that cannot be seen spelled out, as in Python; `lines` keeps line ends and tabs.

    >>> print(printable("\x1b[31mred\n"))
    \x1b[31mred\n
    """
    return (_UNPRINTABLE_IN_LINES if lines else _UNPRINTABLE).sub(_spelled, str(text))


def xml_text(text: object) -> str:
    """Text for HTML and SVG, within an element or a quoted attribute.

    >>> xml_text("<b>R&D</b>")
    '&lt;b&gt;R&amp;D&lt;/b&gt;'
    """
    return html.escape(printable(text))


def markdown_text(text: object) -> str:
    r"""Text for Markdown, in a paragraph or, where `markdown_table` sees to bars, in a cell.

    >>> markdown_text("<script>*a*_b_c"), markdown_text("my_data")
    ('&lt;script&gt;\\*a\\*\\_b_c', 'my_data')
    """
    plain = _ENTITY.sub("&amp;", _MARKDOWN.sub(r"\\\g<0>", printable(text)))
    return plain.replace("<", "&lt;").replace(">", "&gt;")


def plot_text(text: object) -> str:
    r"""Text for matplotlib, which would set what stands between two dollars as mathematics.

    >>> plot_text("$5 to $9")
    '\\$5 to \\$9'
    """
    return printable(text).replace("$", "\\$")


def spreadsheet_field(text: object) -> str:
    """Text that no spreadsheet takes for a formula: an apostrophe stands before what begins like one.

    >>> spreadsheet_field("=1+1"), spreadsheet_field("a=b")
    ("'=1+1", 'a=b')
    """
    field = str(text)
    return f"'{field}" if field.startswith(("=", "+", "-", "@", "\t", "\r", "\n")) else field


def json_text(text: str) -> str:
    r"""JSON whose strings show what cannot be seen: JSON itself leaves the controls from 0x7f on as they are.

    >>> print(json_text('{"a": "\x9b31m"}'))
    {"a": "\u009b31m"}
    """
    return _UNPRINTABLE_IN_LINES.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


#: The name of the error handler that writes the nearest letters of a smaller alphabet.
NEAREST = "tanager-nearest"
_NEAREST = {
    **dict.fromkeys("─–—−", "-"),
    **dict.fromkeys("│├", "|"),
    **dict.fromkeys("’‘", "'"),
    **dict.fromkeys("“”", '"'),
    "└": "`",
    "█": "#",
    "░": ".",
    "…": "...",
    "→": "->",
    "←": "<-",
    "↑": "^",
    "↓": "v",
    "×": "x",
    "±": "+-",
    "≤": "<=",
    "≥": ">=",
    "µ": "u",
    "·": ".",
    "²": "^2",
    "⁻": "^-",
    "α": "alpha",
    "χ": "chi",
    "θ": "theta",
    "Σ": "sum",
}


def _nearest(error: UnicodeError) -> tuple[str, int]:
    """What stands for letters that an encoding lacks: the nearest ones, or else their names in Python."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    spelled = (
        _NEAREST.get(letter) or letter.encode("ascii", "backslashreplace").decode("ascii")
        for letter in letters
    )
    return "".join(spelled), error.end


codecs.register_error(NEAREST, _nearest)
