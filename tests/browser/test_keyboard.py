"""A reader without a mouse: from the home page to a link and a CSV of two models that are not separable."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from playwright.sync_api import Page, expect

from scorer.cells import Workshop
from scorer.cli import rexrank
from scorer.datasets import register
from scorer.statistics import Bench
from site_builder.building import build
from tests.browser.conftest import Site, Watched, serve, watch
from tests.site.conftest import needs_plugin

pytestmark = pytest.mark.browser

# What a screen reader would call the focused element: its label, its name in a label element, or its text.
HERE = """() => { const e = document.activeElement;
return (e.ariaLabel || e.labels?.[0]?.innerText || e.innerText || e.placeholder || "").trim(); }"""


def reach(page: Page, name: str, most: int = 250) -> None:
    """Presses Tab until the focus is on something of that name, and checks that the focus can be seen."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate(HERE).startswith(name):
            seen = page.evaluate(
                "() => { const s = getComputedStyle(document.activeElement);"
                " return s.outlineStyle != 'none' || s.boxShadow != 'none'; }"
            )
            assert seen, f"the focus on {name!r} cannot be seen"
            return
    pytest.fail(f"Tab does not reach {name!r} within {most} steps")


def journey(page: Page, address: str, board: str, metric: str) -> tuple[list[str], str, str]:
    """Walks from the home page with keys alone; gives the models of the first group, the link and the CSV."""
    page.goto(address)
    reach(page, board)
    page.keyboard.press("Enter")
    expect(page.locator("#board")).to_be_visible()
    # Not the order it starts with, so that the heading has to be pressed for it.
    reach(page, "ROUGE-L")
    page.keyboard.press("Enter")
    expect(page.locator("th[data-k=rouge_l]")).to_have_attribute("aria-sort", "descending")
    page.keyboard.press("Shift+Tab")
    for _ in range(60):
        if page.evaluate(HERE).startswith(metric):
            break
        page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    heading = page.locator("#board th", has_text=metric).first
    expect(heading).to_have_attribute("aria-sort", "descending")
    # The first bracket of rows says in words that they are not separable.
    rows = page.locator("#board tbody tr:not(.rx-probe)", has_text="not separable")
    ranks = rows.locator(".rx-rank").all_inner_texts()
    first = [i for i, rank in enumerate(ranks) if rank.startswith(("1 ", "2 ", "3 "))]
    tied = [rows.nth(i).locator("th a").inner_text() for i in first]
    assert len(tied) >= 2, ranks
    for name in tied[:2]:
        reach(page, f"Choose {name}")
        page.keyboard.press("Space")
    while not page.evaluate(HERE).startswith("Compare two to four chosen"):
        page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".rx-compared tbody tr").first).to_be_visible()
    expect(page.locator(".rx-compared")).to_contain_text("are not separable on")
    reach(page, "Copy the link to this view")
    page.keyboard.press("Enter")
    expect(page.locator(".rx-status")).to_have_text("Link copied")
    link = page.evaluate("navigator.clipboard.readText()")
    page.go_back()  # the browser's own key for it works on its window, which a headless one has not
    expect(page.locator("#board")).to_be_visible()
    reach(page, "Copy, download")
    page.keyboard.press("Enter")
    reach(page, "Save as CSV", 10)
    with page.expect_download() as got:
        page.keyboard.press("Enter")
    return tied, link, Path(got.value.path()).read_text("utf-8")


def check(found: tuple[list[str], str, str], dataset: str) -> None:
    tied, link, text = found
    assert f"/compare/?board={dataset}/" in link
    assert link.count(",") == 1
    lines = list(csv.DictReader(text.splitlines()))
    assert set(tied) <= {line["model"] for line in lines}
    assert all(
        line["bleu_2_low"] <= line["bleu_2"] <= line["bleu_2_high"] for line in lines if line["model"] in tied
    )


def test_keys_alone_lead_to_two_models_that_are_not_separable_a_link_and_a_csv(
    watched: Watched, site: Site
) -> None:
    check(journey(watched.page, site.address, "Demo chest X-rays, findings", "BLEU-2"), "demo-cxr")


BEST, AGAIN, PREDICTIONS = "reference-copy", "two-exchanged", "predictions/iu-xray.jsonl"


def exchanged(source: Path, target: Path) -> None:
    """The same predictions, the reports of the first two studies exchanged."""
    one, other, *rest = (json.loads(line) for line in source.read_text("utf-8").splitlines())
    one["study_id"], other["study_id"] = other["study_id"], one["study_id"]
    lines = sorted((one, other, *rest), key=lambda line: str(line["study_id"]))
    target.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")


@pytest.mark.slow
def test_keys_alone_lead_there_on_iu_xray(
    page: Page, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The prediction sets, and the best of them a second time with two reports exchanged."""
    needs_plugin()
    monkeypatch.setenv("REXRANK_HOME", str(tmp_path / "state"))
    root = tmp_path / "results"
    register("iu-xray", shared / "data" / "iu_xray", tmp_path / "state")
    names = sorted(path.stem for path in (shared / "data" / "iu_xray" / "predictions").glob("*.jsonl"))
    for name in (*names, AGAIN):
        (root / "submissions" / name / "predictions").mkdir(parents=True)
        (root / "submissions" / name / "submission.yaml").write_text(
            f"id: {name}\nname: {name}\nowner: tester\ntracks: [findings, findings_impression]\n"
        )
    for name in names:
        source = shared / "data" / "iu_xray" / "predictions" / f"{name}.jsonl"
        line = ["import", str(source), "--dataset", "iu-xray", "--model", name, "--results", str(root)]
        assert CliRunner().invoke(rexrank, line).exit_code == 0
    exchanged(root / "submissions" / BEST / PREDICTIONS, root / "submissions" / AGAIN / PREDICTIONS)
    shop = Workshop(root, tmp_path / "state")
    bench = Bench(weights_dir=tmp_path, cache_dir=tmp_path)
    for cell in shop.cells(datasets=["iu-xray"]):
        assert not shop.fill(cell, bench).problem
    server, address = serve(tmp_path / "served")
    build(results=root, out=tmp_path / "served" / "repo", base_url=address)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    seen = watch(page, address)
    check(journey(page, address, "IU X-ray, findings", "BLEU-2"), "iu-xray")
    assert seen.problems == []
    server.shutdown()
    server.server_close()
