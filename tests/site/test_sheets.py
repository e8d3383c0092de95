"""The theme's style sheets lose what no page can match, and nothing else."""

from __future__ import annotations

from pathlib import Path

from site_builder.sheets import lean

SHEET = (
    ".md-typeset table:not([class]){margin:0}"
    ".md-typeset :is(h1,table:not([class])) p,.md-typeset table:not([class])>:is(th,td),.md-typeset a{color:red}"
    "@media print{.md-typeset .tabbed-set>input~.tabbed-labels,.md-nav{display:none}}"
    "[data-md-color-switching] *{transition-duration:0s!important}"
    ':root{--icon:url("data:image/svg+xml;charset=utf-8,<svg/>")}'
)


def test_selectors_that_nothing_matches_go_and_the_others_of_their_rule_stay() -> None:
    assert lean(SHEET, ["tables"]) == (
        ".md-typeset :is(h1,table:not([class])) p,.md-typeset a{color:red}"
        "@media print{.md-nav{display:none}}"
        ':root{--icon:url("data:image/svg+xml;charset=utf-8,<svg/>")}'
    )


def test_rules_for_tabs_stay_where_tabs_can_be_written() -> None:
    for extension in ("pymdownx.tabbed", "pymdownx.blocks.tab"):
        assert ".tabbed-set>input~.tabbed-labels,.md-nav" in lean(SHEET, [extension])


def test_a_built_site_has_the_lean_sheets(tiny_site: Path) -> None:
    sheets = "".join(path.read_text("utf-8") for path in (tiny_site / "assets/stylesheets").glob("*.css"))
    assert ".md-typeset" in sheets
    for gone in ("data-md-color-switching", "table:not([class])", ".tabbed-set"):
        assert gone not in sheets
