"""Pages in a real browser, without a network."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")


def chromium() -> str:
    """The browser; a test that needs it is skipped where there is none, and fails where CI says so."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None and os.environ.get("TANAGER_BROWSER") == "required":
        pytest.fail("there is no chromium, and TANAGER_BROWSER=required")
    if found is None:
        pytest.skip("there is no chromium")
    return found


def browse(
    page: Path | str, profile: Path, *options: str, width: int = 1100, height: int = 1400
) -> subprocess.CompletedProcess[str]:
    """Opens a page without a head; `options` say what comes out of it."""
    command = [chromium(), "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"]
    command += [f"--user-data-dir={profile}", "--hide-scrollbars", f"--window-size={width},{height}"]
    address = page.as_uri() if isinstance(page, Path) else page
    return subprocess.run(
        [*command, *options, address], capture_output=True, text=True, timeout=300, check=True
    )


def probed(
    text: str,
    script: str,
    folder: Path,
    *options: str,
    settle: int = 5000,
    width: int = 1100,
    height: int = 1400,
) -> Any:
    """What `script`, the body of a function that returns it, finds in a page once that is loaded.

    The page gets `settle` milliseconds of the browser's virtual clock; with none the script must not wait for
    anything, and how busy the machine is does not matter. In `failures` are the errors of its own scripts.
    """
    probe = (
        "<script>const failures = [];"
        'window.addEventListener("error", event => failures.push(String(event.message)));'
        'window.addEventListener("load", async () => {'
        f"const found = await (async () => {{ {script} }})();"
        'const place = document.createElement("pre"); place.id = "probe";'
        "place.textContent = JSON.stringify({found, failures}); document.body.append(place); });</script>"
    )
    page = folder / "probe.html"
    page.write_text(text.replace("<head>", "<head>" + probe, 1), encoding="utf-8")
    dump = ["--dump-dom", *([f"--virtual-time-budget={settle}"] if settle else [])]
    answer = browse(page, folder / "profile", *dump, *options, width=width, height=height)
    shown = re.search(r'<pre id="probe">(.*?)</pre>', answer.stdout, re.DOTALL)
    assert shown is not None, answer.stderr[-2000:]
    result = json.loads(html.unescape(shown.group(1)))
    assert result["failures"] == []
    return result["found"]
