"""The theme's frame around a page, rendered once per depth and filled for every page that the builder makes.

All generated pages of one depth differ in title, description, address, head and fragment only, so rendering
the theme a thousand times would give a thousand equal frames.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import re

from site_builder.page import Page

__all__ = ["CANONICAL", "CONTENT", "DESCRIPTION", "TITLE", "Shell", "mend"]

TITLE, DESCRIPTION, CANONICAL = "RX-SHELL-TITLE", "RX-SHELL-DESCRIPTION", "RX-SHELL-CANONICAL"
CONTENT = "<h1>RX-SHELL-CONTENT</h1>"
_HEAD = "<!--RX-SHELL-HEAD-->"
_MARKS = re.compile("|".join(map(re.escape, (TITLE, DESCRIPTION, CANONICAL, CONTENT, _HEAD))))
_START = (
    '<script>document.documentElement.className="js js-focus-visible"+(location.search&&" rx-asked")</script>'
)
"""Gives the page the classes that the theme's script would add later, at the price of styling everything anew, and
one by which a page that is asked for something can keep room for the answer."""
_SKIP = re.compile(r'(?<=<div data-md-component="skip">).*?(?=</div>)', re.DOTALL)
_INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


class Shell:
    """A frame with places for what differs from page to page."""

    def __init__(self, rendered: str) -> None:
        mended = mend(rendered, None).replace("</head>", f"{_HEAD}</head>", 1)
        self._texts = _MARKS.split(mended)
        self._marks = _MARKS.findall(mended)

    def fill(self, page: Page, canonical: str) -> str:
        """The whole document of a page."""
        values = {
            TITLE: html.escape(page.title),
            DESCRIPTION: html.escape(page.description),
            CANONICAL: html.escape(canonical),
            CONTENT: page.html,
            _HEAD: head_of(page),
        }
        pieces = [self._texts[0]]
        for mark, text in zip(self._marks, self._texts[1:], strict=True):
            pieces += (values[mark], text)
        return "".join(pieces)


def mend(output: str, page: Page | None) -> str:
    """Puts right what the theme's templates leave wrong, and adds the content policy and the page's own head."""
    # An unnamed dialog fails accessibility checks.
    search = 'data-md-component="search" role="dialog"'
    output = output.replace(search, f'{search} aria-label="Search"', 1)
    # The theme has a link past the menus for hand-written words only, to a heading that cannot have the focus.
    output = _SKIP.sub('<a href="#rx-content" class="md-skip">Skip to content</a>', output, count=1)
    output = output.replace("<article ", '<article id="rx-content" tabindex="-1" ', 1)
    policy = _policy(tuple(dict.fromkeys(_INLINE_SCRIPT.findall(_START + output))))
    output = output.replace('<meta charset="utf-8">', f'<meta charset="utf-8">{policy}{_START}', 1)
    return output.replace("</head>", f"{head_of(page)}</head>", 1) if page else output


def head_of(page: Page) -> str:
    """What a page adds to the end of the head."""
    said = {"og:title": page.title, "og:description": page.description, **page.meta}
    return "".join(_meta(name, text) for name, text in said.items() if text) + page.head


@functools.lru_cache(maxsize=64)
def _policy(scripts: tuple[str, ...]) -> str:
    """The content policy that allows our own files and exactly these inline scripts."""
    hashes = " ".join(
        "'sha256-" + base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii") + "'"
        for script in scripts
    )
    return (
        '<meta http-equiv="Content-Security-Policy" content="'
        f"default-src 'none'; script-src 'self' {hashes}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        "font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; "
        "form-action 'none'\">"
    )


def _meta(name: str, text: str) -> str:
    kind = "property" if name.startswith("og:") else "name"
    return f'<meta {kind}="{html.escape(name)}" content="{html.escape(text)}">'
