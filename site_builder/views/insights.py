"""What published editions say together: reward gap, agreement, what does not fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from scorer.published import METRICS, Edition, metric, newest_edition
from scorer.published.agreement import agreement_of_datasets, agreement_of_metrics
from scorer.published.quality import CHECKS, check_quality
from scorer.published.standing import RewardGap, board_values, ranks, reward_gap
from site_builder.page import Made, Page
from site_builder.plots.lines import Line, bump
from site_builder.plots.matrix import matrix
from site_builder.plots.plot import Plot, plot_assets
from site_builder.plots.points import Point, points
from site_builder.render import render
from site_builder.views.plot_pages import RESAMPLES
from site_builder.views.reported import board_id, when_short
from site_builder.wording import count, natural_key, number
from site_builder.world import World, track_label

__all__ = ["make"]


def make(world: World) -> Iterator[Made]:
    """Three pages; none without published editions."""
    if not world.editions:
        return
    yield from _agreement_pages(world)
    yield _quality(world)


def _agreement_pages(world: World) -> Iterator[Made]:
    gaps: list[Plot | None] = []
    matrices: list[Plot | None] = []
    for dataset, track in dict.fromkeys((r.dataset, r.track) for e in world.editions for r in e.rows):
        edition = newest_edition(world.editions, dataset, track)
        if edition is None or track not in ("findings", "findings_impression"):
            continue
        name = f"{_name(world, edition, dataset)}, {track_label(track)}"
        gaps.append(_gap_plot(f"{dataset}-{track}", name, edition, reward_gap(edition, dataset, track)))
        labels = {
            m.id: m.label
            for m in METRICS
            if m.is_ranked
            and any(m.id in values for values in board_values(edition, dataset, track).values())
        }
        found = agreement_of_metrics(edition, dataset, track, resamples=RESAMPLES)
        matrices.append(
            matrix(
                f"metrics-{dataset}-{track}",
                f"Metrics on {name}",
                f"Spearman's rank correlation over the models, as reported {when_short(edition)}. RadCliQ-v1 is a sum "
                "of BERTScore, SembScore and RadGraph and agrees with them by making.",
                labels,
                found,
            )
        )
    for track in ("findings", "findings_impression"):
        matrices += _datasets(world, track)
    kept = [tuple(p for p in plots if p is not None) for plots in (gaps, matrices)]
    pages = (
        (
            "reward-gap/",
            "Reward gap",
            "RadCliQ-v1 is a common training reward. Where a model ranks much better by it than by judges that nobody "
            "trained on, the gap says how much of the rank is the reward. Ranks are within one published edition, by "
            "value alone; a signal to look, not an accusation.",
            kept[0],
        ),
        (
            "agreement/",
            "Agreement",
            "Do metrics, and do datasets, order published models alike? Rank correlations with intervals over models.",
            kept[1],
        ),
    )
    for path, title, lede, plots in pages:
        yield Page(
            path=path,
            title=title,
            description=lede,
            date=world.date,
            find=f"{title} published editions",
            html=render(
                "plots.html",
                "../",
                title=title,
                lede=lede,
                back=("published editions", "editions/"),
                plots=plots,
            ),
        )
        yield from plot_assets(path, plots)


def _name(world: World, edition: Edition, dataset: str) -> str:
    """The name of the dataset and split that an edition means by a published dataset."""
    split = next(split for d, split, _ in edition.boards if d == dataset)
    return world.dataset_name(world.board_of(dataset, split) or dataset)


def _gap_plot(id: str, name: str, edition: Edition, gap: RewardGap) -> Plot | None:
    judges = [m for m in gap.metrics if m != "radcliq_v1"]
    rows = [r for r in gap.rows if r.ranks.get("radcliq_v1") and judges and r.ranks.get(judges[0])]
    if not rows:
        return None
    labels = [metric(m).label for m in judges]
    plot = points(
        id,
        f"{name}, {when_short(edition)}",
        f"Rank by RadCliQ-v1 from left to right, rank by {labels[0]} from top to bottom, 1 is best, {gap.n} models. "
        "On the dotted line both agree; below it the judge ranks the model lower.",
        ("rank by RadCliQ-v1", 0),
        (f"rank by {labels[0]}", 0),
        [
            Point(
                id=r.model,
                name=r.model,
                x=float(r.ranks["radcliq_v1"] or 0),
                y=float(r.ranks[judges[0]] or 0),
            )
            for r in rows
        ],
        are_ranks=True,
    )
    if plot is None:
        return None
    return replace(
        plot,
        columns=("model", "RadCliQ-v1", *labels, "gap"),
        rows=[
            (
                r.model,
                *(f"{rank} of {gap.n}" if (rank := r.ranks.get(m)) else "" for m in ("radcliq_v1", *judges)),
                "" if r.gap is None else number(r.gap, 1),
            )
            for r in gap.rows
        ],
        values=[
            {"model": r.model, **{f"rank_{m}": r.ranks.get(m) for m in gap.metrics}, "gap": r.gap}
            for r in gap.rows
        ],
    )


def _datasets(world: World, track: str) -> Iterator[Plot | None]:
    """Agreement of datasets by RadCliQ-v1, and the ranks of each model across them."""
    edition = next((e for e in reversed(world.editions) if e.kind == "edition" and not e.is_partial), None)
    if edition is None:
        return
    names = {d: _name(world, edition, d) for d, _, t in edition.boards if t == track}
    if len(names) < 2:
        return
    by_dataset = {
        d: ranks(
            {model: values.get("radcliq_v1") for model, values in board_values(edition, d, track).items()},
            "lower",
        )
        for d in names
    }
    models = sorted({model for ranked in by_dataset.values() for model in ranked}, key=natural_key)
    yield matrix(
        f"datasets-{track}",
        f"Datasets by RadCliQ-v1, {track_label(track)}",
        f"Spearman's rank correlation over the models that both hold, as reported {when_short(edition)}.",
        names,
        agreement_of_datasets(edition, track, "radcliq_v1", resamples=RESAMPLES),
    )
    yield bump(
        f"bump-{track}",
        f"Ranks by RadCliQ-v1 across datasets, {track_label(track)}",
        "One line per model, rank 1 on top; strong lines move by a third of the board or more.",
        list(names.values()),
        [Line(id=m, name=m, ranks=[by_dataset[d].get(m) for d in names]) for m in models],
    )


def _quality(world: World) -> Page:
    findings = check_quality(world.editions)
    anchors = {e.id: e for e in world.editions}
    groups = []
    for kind, title, _ in CHECKS:
        lines = [
            (
                f.sentence,
                [
                    (when_short(anchors[e]), f"editions/{e}/#{board_id((f.dataset, f.split, f.track))}")
                    for e in f.editions
                    if (f.dataset, f.split, f.track) in anchors[e].boards
                ],
            )
            for f in findings
            if f.kind == kind
        ]
        groups.append((kind, title[0].upper() + title[1:], lines))
    return Page(
        path="quality/",
        title="Data quality",
        description=f"{count(len(findings), 'finding')} about published figures that do not fit, each with evidence.",
        date=world.date,
        find="data quality published figures findings",
        html=render("quality.html", "../", groups=groups, n=len(findings)),
    )
