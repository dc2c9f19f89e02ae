"""What mkdocs does to the documents beside its own: formulas become MathML while the site is built.

Browsers set MathML themselves: a page needs no script and no network for it. Formulas are LaTeX, written
between dollars or in a fence called ``math``, which is what other viewers of Markdown take too.
"""

from __future__ import annotations

import html
import re
from typing import Any

from latex2mathml.converter import convert
from pymdownx.arithmatex import arithmatex_fenced_format

FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)
NAME = re.compile(r"(<m[io]>(?:ln|max|min|argmax)</m[io]>)(?!<mo[^>]*>&#x00028;|</munder>)")


def mathml(latex: str, block: bool) -> str:
    """A formula as browsers set it; a thin space stands after the name of a function without parentheses."""
    text = convert(latex.strip(), display="block" if block else "inline")
    return NAME.sub(r'\1<mspace width="0.17em"/>', text)


def on_config(config: Any) -> Any:
    """A fence called math is a formula."""
    fences = config.mdx_configs.setdefault("pymdownx.superfences", {}).setdefault("custom_fences", [])
    format_ = arithmatex_fenced_format(mode="generic", tag="div")
    fences.append({"name": "math", "class": "arithmatex", "format": format_})
    return config


def on_page_content(html_text: str, /, **_: Any) -> str:
    """Every formula of a page as MathML."""

    def typeset(found: re.Match[str]) -> str:
        tag, opening, latex = found.groups()
        return f'<{tag} class="formula">{mathml(html.unescape(latex), opening == "[")}</{tag}>'

    return FORMULA.sub(typeset, html_text)
