"""Comparing two to four models in the browser: right, fast, and with an address that holds the view."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from scorer.boards import board_draws
from scorer.cells import Workshop
from scorer.inference.pairs import compare
from scorer.metrics import metric
from tests.browser.conftest import Site, Watched, offer_many_studies, offer_studies, thread_seconds

pytestmark = pytest.mark.browser


def test_the_page_agrees_with_the_command(watched: Watched, site: Site, root: Path, tmp_path: Path) -> None:
    page = watched.page
    page.goto(f"{site.address}compare/?board=demo-cxr/findings&models=demo-fluent,demo-hasty")
    rows = page.locator(".rx-compared tbody tr")
    expect(rows.first).to_be_visible()
    shop = Workshop(root / "results", tmp_path)
    _, drawn = board_draws(shop, shop.card("demo-cxr"), "findings", ["demo-fluent", "demo-hasty"])
    by_label = {metric(name).spec.label: compare(draws) for name, draws in drawn.items()}
    assert rows.count() >= 3
    for row in rows.all():
        name, difference, ends, _, counts, effect, _ = row.locator("th,td").all_inner_texts()
        known = by_label[name[:-2]]
        low, high = (float(x) for x in ends.split(" to "))
        assert float(difference) == pytest.approx(known.difference, abs=6e-4)
        assert low == pytest.approx(known.low, abs=0.006)  # 2,000 resamples here, 10,000 there
        assert high == pytest.approx(known.high, abs=0.006)
        assert counts == f"{known.wins} / {known.ties} / {known.losses}"
        assert float(effect) == pytest.approx(known.effect, abs=6e-3)


def test_up_to_four_are_set_against_the_first_with_plots_and_a_sentence(watched: Watched, site: Site) -> None:
    page = watched.page
    models = "demo-careful,demo-fluent,demo-hasty,demo-template,probe-empty"
    page.goto(f"{site.address}compare/?board=demo-cxr/findings&models={models}")
    expect(page.locator(".rx-compared table")).to_have_count(3)
    drawings = page.locator(".rx-compared svg")
    expect(drawings).to_have_count(6)
    assert all("BLEU-2" in (one.get_attribute("aria-label") or "") for one in drawings.all())
    expect(page.locator(".rx-compared")).to_contain_text("are not separable on")
    expect(page.locator(".rx-compared")).to_contain_text(re.compile("is better than .* on .* by "))
    page.get_by_role("button", name="Copy the link").click()
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_the_same_address_gives_the_same_numbers(watched: Watched, site: Site) -> None:
    page = watched.page
    address = f"{site.address}compare/?board=demo-cxr/findings&models=demo-fluent,demo-careful"
    page.goto(address)
    expect(page.locator(".rx-compared tbody tr").first).to_be_visible()
    first = page.locator(".rx-compared").inner_text()
    page.reload()
    expect(page.locator(".rx-compared tbody tr").first).to_be_visible()
    assert page.locator(".rx-compared").inner_text() == first


def test_unknown_models_and_markup_in_the_address_come_to_nothing(watched: Watched, site: Site) -> None:
    page = watched.page
    page.goto(
        f"{site.address}compare/?board=demo-cxr/findings&models=%3Cimg%20src=x%20onerror=top.bad=1%3E,constructor"
    )
    expect(page.locator(".rx-compared h2")).to_be_visible()
    expect(page.locator(".rx-compared")).to_contain_text("Not on this board")
    expect(page.locator(".rx-compared")).to_contain_text("<img src=x onerror=top.bad=1>, constructor.")
    assert page.locator(".rx-compared img").count() == 0
    assert page.evaluate("window.bad") is None


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("board=../x&models=a,b", "There is no such board"),
        ("board=mimic-cxr/findings&models=a,b", "There is no such board"),
        ("models=demo-fluent,demo-careful", "There is no such board"),
        ("board=demo-cxr/findings", "Two models are needed"),
        ("board=demo-cxr/findings&models=demo-fluent", "Two models are needed"),
        ("board=demo-cxr/findings&models=demo-fluent,demo-fluent", "Two models are needed"),
        ("board=demo-cxr/findings&models=demo-fluent,Demo", "without a number for every study: Demo."),
        (
            "board=demo-cxr/findings&models=demo-fluent,%20demo-careful,demo-hasty,demo-template,probe-empty",
            "Four at most are compared; left out: probe-empty.",
        ),
    ],
)
def test_an_address_that_asks_too_little_or_too_much_is_answered_in_words(
    page: Page, site: Site, query: str, said: str
) -> None:
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{site.address}compare/?{query}")
    expect(page.locator(".rx-compared")).to_contain_text(said)
    assert errors == []


@pytest.mark.parametrize("body", [b"x" * 20_000, b"x" * 400, b"xyz", None])
def test_numbers_that_are_cut_or_cannot_be_loaded_are_not_shown(
    page: Page, site: Site, body: bytes | None
) -> None:
    def answer(route: Route) -> None:
        route.abort() if body is None else route.fulfill(status=200, body=body)

    page.route("**/demo-fluent.f32", answer)
    page.goto(f"{site.address}compare/?board=demo-cxr/findings&models=demo-careful,demo-fluent")
    expect(page.locator(".rx-compared")).to_have_text("The numbers could not be loaded. Load the page again.")


def test_a_model_whose_numbers_have_left_is_said_to_have_left(page: Page, site: Site) -> None:
    page.route("**/demo-fluent.f32", lambda route: route.fulfill(status=404, body=b"x" * 8_000))
    page.goto(f"{site.address}compare/?board=demo-cxr/findings&models=demo-careful,demo-fluent")
    expect(page.locator(".rx-compared")).to_contain_text("its numbers have left")


def test_the_sentence_gives_the_interval_of_the_gain_whichever_is_first(watched: Watched, site: Site) -> None:
    page = watched.page
    for models in ("demo-careful,probe-empty", "probe-empty,demo-careful"):
        page.goto(f"{site.address}compare/?board=demo-cxr/findings&models={models}")
        sentence = page.locator(".rx-compared h3 + p").first.inner_text()
        found = re.findall(r" by (\S+) \((\S+) to ([^\s)]+)\)", sentence)
        assert found
        for size, low, high in found:
            assert 0 <= float(low) <= float(size) <= float(high), sentence


def test_label_errors_are_counted_for_each_and_for_both(watched: Watched, site: Site) -> None:
    page = watched.page
    document = {
        "title": "Three studies",
        "order": "m0",
        "n": 3,
        "labels": {"a": "A", "b": "B"},
        "metrics": [["m0", "Metric", 1, 3]],
        "of": [0, 1, 2],
        "sizes": [1, 1, 1],
        "models": ["a", "b"],
        "bits": 14,
    }
    # A differs in labels 0 and 1 of the first study and 13 of the last; B in 1 of the first and 0 of the last.
    bits = {"a": [0b11, 0, 1 << 13], "b": [0b10, 0, 1]}
    offer_studies(page, document, {name: [[0.5, 0.25, 0.125], row] for name, row in bits.items()})
    page.goto(f"{site.address}compare/?board=few/findings&models=a,b")
    expect(page.locator(".rx-compared")).to_contain_text(
        "14 labels, 42 in all: A differs from the reference in 3, B in 2, both in 1."
    )


def test_models_chosen_on_a_board_are_compared_without_a_reload(watched: Watched, site: Site) -> None:
    page = watched.page
    page.goto(f"{site.address}boards/demo-cxr/findings/?sel=demo-fluent,demo-hasty")
    page.evaluate("window.kept = true")
    for _ in range(2):
        page.get_by_role("link", name="Compare").first.click()
        expect(page.locator(".rx-compared tbody tr").first).to_be_visible()
        page.go_back()
        expect(page.locator("#board")).to_be_visible()
    assert page.evaluate("window.kept")


@pytest.mark.slow
def test_two_models_on_2347_studies_and_15_metrics_take_less_than_a_second(
    watched: Watched, site: Site
) -> None:
    page = watched.page
    offer_many_studies(page)
    assert thread_seconds(page, f"{site.address}compare/?board=many/findings&models=a,b", 15) < 1.0
