"""The only module that knows mkdocs: feeds the builder's pages into it as generated files.

Pages stay out of the navigation and of the theme's search index (both grow with the square of the pages);
names are added to the index at the end. A hand-written page at the address of a generated one keeps its
words, and the generated fragment follows them, or takes the place of the comment `<!-- generated -->`.
"""

from __future__ import annotations

import copy
import gc
import html
import itertools
import json
import logging
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import jinja2
from mkdocs.commands.build import build
from mkdocs.config import config_options, load_config
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page as MkdocsPage
from mkdocs.theme import Theme
from mkdocs.utils import write_file

from scorer.cli.common import cache_dir, results_dir, state_dir
from site_builder.formulas import restore, stash
from site_builder.page import Asset, Page
from site_builder.reading import read_world
from site_builder.sheets import lean
from site_builder.shell import CANONICAL, CONTENT, DESCRIPTION, TITLE, Shell, mend
from site_builder.site import make_site, static_assets
from site_builder.wording import measured

__all__ = ["RexrankPlugin", "run"]

os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")

PLACE = "<!-- generated -->"
TABLE = '<div class="rx-scroll" tabindex="0" role="region" aria-label="Table {}"><table class="rx-table rx-words">'


class RexrankConfig(Config):  # type: ignore[no-untyped-call]
    """Options under `plugins: - rexrank:`."""

    results = config_options.Optional(config_options.Type(str))
    cases = config_options.ListOfItems(config_options.Type(str), default=[])


class RexrankPlugin(BasePlugin[RexrankConfig]):  # type: ignore[no-untyped-call]
    """Generates the site's pages from a results folder."""

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Reads the results once, adds our theme files, and stops the clock."""
        given = self.config.results
        root = Path(given) if given else results_dir(None)
        docs = Path(config.docs_dir)
        self.world = replace(
            read_world(root, state_dir(), cache_dir(), config.site_url or "", asked=self.config.cases),
            words={
                path.relative_to(docs).as_posix(): measured(path.read_text("utf-8"))
                for path in docs.rglob("*.md")
            },
        )
        os.environ.setdefault("SOURCE_DATE_EPOCH", _epoch(self.world.date))
        config.theme.dirs.insert(0, str(Path(__file__).parent / "theme"))
        _keep_environment(config.theme)
        self.pages: dict[str, Page] = {}
        self.formulas: dict[str, tuple[str, ...]] = {}
        self.assets: dict[str, bytes] = {asset.path: asset.data for asset in static_assets()}
        for made in make_site(self.world):
            if isinstance(made, Asset):
                self.assets[made.path] = made.data
            else:
                self.pages[made.path] = made
        config.extra_css.append("assets/rexrank.css")
        config.extra_javascript.append("assets/rexrank.js")
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Adds a file per page that has no hand-written one, opened by the hand-written words it names.

        The theme's style sheets lose what no page can match.
        """
        for file in files.css_files():
            if file.src_uri.startswith("assets/stylesheets/"):
                file.content_string = lean(file.content_string, config.markdown_extensions)
        written = {_address(file) for file in files.documentation_pages()}
        named = {_named(given) for entry in config.nav or () for given in entry.values()}
        for path, page in self.pages.items():
            if path in written:
                continue
            words = files.get_file_from_path(page.words) if page.words else None
            source = File.generated(
                config,
                f"{path.rstrip('/') or 'index'}.md",  # where hand-written pages would link to it
                content=words.content_string if words else "",
                inclusion=InclusionLevel.NOT_IN_NAV,
            )
            assert _address(source) == path, (source.url, path)
            files.append(source)
            if not words and "<h1" in page.html and path not in named:
                _Framed(None, source, config)
        by_address = {_address(file): file.src_uri for file in files.documentation_pages()}
        config.nav = [
            {label: by_address[address]}
            for entry in config.nav or ()
            for label, given in entry.items()
            if (address := _named(given)) in by_address
        ]
        return files

    def on_env(self, env: jinja2.Environment, **_: Any) -> jinja2.Environment:
        """Gives `theme/shell.html` the frame that it stands for."""
        shells: dict[str, Shell] = {}

        @jinja2.pass_context
        def rexrank_shell(context: jinja2.runtime.Context) -> str:
            page, depth = context["page"], context["base_url"]
            if depth not in shells:
                stand_in = copy.copy(page)
                stand_in.meta = {**page.meta, "title": TITLE, "description": DESCRIPTION}
                stand_in.content, stand_in.canonical_url = CONTENT, CANONICAL if page.canonical_url else None
                whole = env.get_template("main.html").render({**context.get_all(), "page": stand_in})
                shells[depth] = Shell(whole)
            made = self._made(page)
            assert made is not None
            return shells[depth].fill(made, page.canonical_url or "")

        env.globals["rexrank_shell"] = rexrank_shell
        return env

    def on_page_markdown(self, markdown: str, *, page: MkdocsPage, **_: Any) -> str:
        """Sets title, description and date; the theme writes them into HTML as they are, so they come escaped."""
        markdown, self.formulas[page.file.src_uri] = stash(markdown) if markdown else ("", ())
        made = self._made(page)
        if made is not None:
            page.meta.setdefault("title", html.escape(made.title))
            page.meta.setdefault("description", html.escape(made.description))
            page.meta.setdefault("hide", ["navigation", "toc"])
            page.meta["search"] = {"exclude": True}
            if isinstance(page, _Framed):
                page.meta["template"] = "shell.html"
            page.update_date = made.date or self.world.date
        elif self.world.date:
            page.update_date = self.world.date
        return markdown

    @event_priority(-100)
    def on_page_content(self, content: str, *, page: MkdocsPage, **_: Any) -> str:
        """Puts the fragment into the page, after or inside hand-written words."""
        content = restore(content, self.formulas.get(page.file.src_uri, ()))
        # The theme would put tables into boxes that scroll but cannot be reached with a keyboard.
        number = itertools.count(1)
        content = re.sub("<table>", lambda _: TABLE.format(next(number)), content)
        content = content.replace("</table>", "</table></div>")
        made = self._made(page)
        if made is None or not content:
            return made.html if made else content
        fragment = (
            re.sub(r"<h1>.*?</h1>", "", made.html, count=1, flags=re.DOTALL)
            if "<h1" in content
            else made.html
        )
        return content.replace(PLACE, fragment, 1) if PLACE in content else f"{content}\n{fragment}"

    @event_priority(-100)
    def on_post_page(self, output: str, *, page: MkdocsPage, **_: Any) -> str:
        """Adds the content policy and the page's own head; a frame has them already."""
        return output if isinstance(page, _Framed) else mend(output, self._made(page))

    @event_priority(-100)
    def on_post_template(self, output_content: str, *, template_name: str, **_: Any) -> str:
        """The 404 page gets the same policy."""
        return mend(output_content, None) if template_name == "404.html" else output_content

    @event_priority(-100)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Writes files that are no pages, and adds the names of pages to the search index."""
        site = Path(config.site_dir)
        for folder in {path.rpartition("/")[0] for path in self.assets}:
            (site / folder).mkdir(parents=True, exist_ok=True)
        for path, data in self.assets.items():
            (site / path).write_bytes(data)
        index = site / "search" / "search_index.json"
        if index.is_file():
            found = json.loads(index.read_text("utf-8"))
            # Every page loads the index: titles, what pages name besides, and the headings of written pages.
            pages: dict[str, tuple[str, str]] = {}
            for entry in found["docs"]:
                place, _, part = entry["location"].partition("#")
                title, text = pages.get(place, (entry["title"], ""))
                pages[place] = title, f"{text} {entry['title']}".strip() if part else text
            for page in self.pages.values():
                if page.find:
                    text = f"{pages.get(page.path, ('', ''))[1]} {html.escape(page.find)}".strip()
                    pages[page.path] = html.escape(page.title), text
            found["docs"] = [
                {"location": place, "title": title, "text": text}
                for place, (title, text) in sorted(pages.items())
            ]
            write_file(
                json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode("utf-8"), str(index)
            )

    def _made(self, page: MkdocsPage) -> Page | None:
        return self.pages.get(_address(page.file))


class _Framed(MkdocsPage):
    """A page without Markdown: there is nothing to convert, and its frame is shared."""

    def read_source(self, config: MkDocsConfig) -> None:
        self.markdown = ""

    def render(self, config: MkDocsConfig, files: Files) -> None:
        self.content = ""


_ENVIRONMENTS: dict[tuple[Any, ...], jinja2.Environment] = {}


def _keep_environment(theme: Theme) -> None:
    """Lets builds of one process share the theme's compiled templates and the list of its many files."""
    make = theme.get_env

    def kept() -> jinja2.Environment:
        key = (*theme.dirs, str(theme.locale), *sorted(theme.static_templates))
        if key not in _ENVIRONMENTS:
            environment = _ENVIRONMENTS[key] = make()
            find, found = environment.list_templates, list[str]()

            def listed(*_: Any, **given: Any) -> list[str]:
                found.extend(() if found else find(**given))
                return found

            environment.list_templates = listed  # type: ignore[method-assign]
        return _ENVIRONMENTS[key]

    theme.get_env = kept  # type: ignore[method-assign]


def _named(given: str) -> str:
    """The address that a navigation entry means."""
    return re.sub(r"(index)?\.md$", lambda mark: "" if mark[1] else "/", given)


def _address(file: File) -> str:
    """A file's address below the site's root, as `Page.path` has it."""
    return "" if file.url in {".", "./"} else file.url


def run(config_file: Path, results: Path, out: Path, base_url: str, cases: Sequence[str] = ()) -> int:
    """Builds the site of a results folder with the settings of a file; gives the number of generated pages.

    Args:
        cases: datasets whose texts are shown, besides those that the settings name.
    """
    logger = logging.getLogger("mkdocs")
    logger.setLevel(logging.WARNING)
    address = {"site_url": base_url.rstrip("/") + "/"} if base_url else {}
    config = load_config(str(config_file), site_dir=str(out.resolve()), **address)
    plugin = config.plugins["rexrank"]
    assert isinstance(plugin, RexrankPlugin)
    plugin.config["results"] = str(results)
    plugin.config["cases"] = list(dict.fromkeys([*plugin.config.cases, *cases]))
    given = os.environ.get("SOURCE_DATE_EPOCH")
    config.plugins.on_startup(command="build", dirty=False)
    patience = gc.get_threshold()
    gc.set_threshold(200_000, 20, 100)  # a build makes many records and drops them all at its end
    try:
        build(config)
    finally:
        config.plugins.on_shutdown()
        gc.set_threshold(*patience)
        if given is None:  # the next build in this process has a date of its own
            os.environ.pop("SOURCE_DATE_EPOCH", None)
    return len(plugin.pages)


def _epoch(date: str) -> str:
    """Midnight UTC of an ISO date in seconds, so that no file carries the time of the build."""
    import datetime

    day = re.match(r"\d{4}-\d{2}-\d{2}", date)
    moment = datetime.datetime.fromisoformat(f"{day[0] if day else '2026-01-01'}T00:00:00+00:00")
    return str(int(moment.timestamp()))
