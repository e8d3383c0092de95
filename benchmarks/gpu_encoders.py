"""The encoders on a GPU: batch 1 against batched, fp32 against bf16, parity with the CPU, share of the matrix rate.

One prepared run: `python -m benchmarks.gpu_encoders` makes random weights of the real shapes, times every encoder on
2,000 invented reports of IU X-ray length and prints two tables. `--device cpu --reports 24 --tiny` tries the script
itself on any machine.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.encoders import ENCODERS, statistic_encoder
from benchmarks.table import print_table

COMPARED = 64
"""Reports whose results on the device are compared with the CPU's."""


def main(arguments: Sequence[str] = ()) -> None:
    """Prints the tables; ends with status 1 when a discrete result differs from the CPU's."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu_encoders", description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--reports", type=int, default=2000)
    parser.add_argument(
        "--package-reports", type=int, default=100, help="reports that the packages are timed on"
    )
    parser.add_argument(
        "--tiny", action="store_true", help="small networks: tries the script, measures nothing"
    )
    chosen = parser.parse_args(arguments)

    from scorer.encoding import check_device
    from tests.encoders.texts import reports
    from tests.encoders.tiny import BASE, Size, make_tiny_weights

    check_device(chosen.device)
    texts = reports(chosen.reports, seed=1, sentences=9)
    size = Size() if chosen.tiny else BASE
    with tempfile.TemporaryDirectory() as temporary:
        weights = Path(temporary) / "weights"
        make_tiny_weights(
            weights, size=size, texts=texts, encoders=("distilroberta_base", "chexbert", "radgraph")
        )
        rates = {
            kind: matrix_rate(chosen.device, kind, 256 if chosen.tiny else 8192) for kind in ("fp32", "bf16")
        }
        speed, parity = [], []
        for name in ENCODERS:
            lines, differing = measure(
                name, weights, texts, chosen.device, rates, size, chosen.package_reports
            )
            speed += lines
            parity.append(differing)
    print_table(
        f"Encoders on {device_name(chosen.device)}: {chosen.reports:,} reports",
        ("", "reports/s", "against the package", "TFLOP/s", "share of the matrix rate"),
        speed,
    )
    print(
        "\nMatrix rate here: "
        + ", ".join(f"{kind} {rate / 1e12:.1f} TFLOP/s" for kind, rate in rates.items())
    )
    print_table(
        f"Against the CPU, {COMPARED} reports",
        ("", "fp32: results that differ", "fp32: largest difference", "bf16: results that differ"),
        [row for row, _ in parity],
    )
    if any(n_differing for _, n_differing in parity):
        sys.exit("fp32 on this device gives other results than the CPU")


def device_name(device: str) -> str:
    """What the device is called."""
    import torch

    return torch.cuda.get_device_name(device) if device.startswith("cuda") else device


def matrix_rate(device: str, kind: str, size: int) -> float:
    """FLOP/s of a large square matrix product: the ceiling that a network of products has."""
    import torch

    dtype = torch.float32 if kind == "fp32" else torch.bfloat16
    a, b = (torch.randn(size, size, device=device, dtype=dtype) for _ in range(2))
    a @ b
    repeats = 10
    seconds = timed(lambda: [a @ b for _ in range(repeats)], device)
    return repeats * 2 * size**3 / seconds


def timed(work: Callable[[], Any], device: str) -> float:
    """Wall seconds, the device's queue drained before and after."""
    import torch

    wait = torch.cuda.synchronize if device.startswith("cuda") else lambda: None
    wait()
    start = time.perf_counter()
    work()
    wait()
    return time.perf_counter() - start


def measure(
    name: str,
    weights: Path,
    texts: list[str],
    device: str,
    rates: dict[str, float],
    size: Any,
    package_reports: int,
) -> tuple[list[tuple[str, ...]], tuple[tuple[str, ...], int]]:
    """Rows of both tables for one encoder, and how many fp32 results differ from the CPU's."""
    from scorer.weights import locate

    encoder = statistic_encoder(name)
    found = locate(encoder.id, weights)
    network = encoder.load(found, device)
    encode(network, texts[:8], 8, device)  # warms the device up
    few = texts[:package_reports]
    with tempfile.TemporaryDirectory() as work:
        official_rate = len(few) / official_seconds(name, weights, Path(work), few, device)
    work_of = sum(flop(network.tokenise(text).length, size, name) for text in texts)
    rows = [(f"{name}: the package", f"{official_rate:.0f}", "1.0x", "", "")]
    for label, some, batch, kind in (
        ("batch 1, fp32", few, 1, "fp32"),
        ("batched, fp32", texts, 0, "fp32"),
        ("batched, bf16", texts, 0, "bf16"),
    ):
        seconds = timed(
            lambda some=some, batch=batch, kind=kind: encode(network, some, batch, device, kind), device
        )
        rate = len(some) / seconds
        achieved = work_of * len(some) / len(texts) / seconds
        rows.append(
            (
                f"{name}: {label}",
                f"{rate:.0f}",
                f"{rate / official_rate:.1f}x",
                f"{achieved / 1e12:.2f}",
                f"{achieved / rates[kind]:.0%}",
            )
        )
    compared = texts[:COMPARED]
    on_cpu = encode(encoder.load(found, "cpu"), compared, 0, "cpu")
    full, half = (encode(network, compared, 0, device, kind) for kind in ("fp32", "bf16"))
    discrete, largest = differences(name, on_cpu, full)
    in_half, _ = differences(name, on_cpu, half)
    return rows, ((name, str(discrete), f"{largest:.1e}", str(in_half)), discrete)


def encode(network: Any, texts: Sequence[str], batch: int, device: str, kind: str = "fp32") -> list[bytes]:
    """Encodings in the order of the texts, in batches of like length; `batch` 0 fills batches by pieces."""
    import torch

    from scorer.encoding.engine import PIECES

    items = [network.tokenise(text) for text in texts]
    order = sorted(range(len(items)), key=lambda place: -items[place].length)
    half = torch.autocast(device.partition(":")[0], dtype=torch.bfloat16)
    found: dict[int, bytes] = {}
    with half if kind == "bf16" else contextlib.nullcontext():
        while order:
            count = batch or max(1, PIECES[device.partition(":")[0]] // max(1, items[order[0]].length))
            places, order = order[:count], order[count:]
            found |= zip(places, network.encode([items[place] for place in places]), strict=True)
    return [found[place] for place in range(len(items))]


def official_seconds(name: str, weights: Path, work: Path, texts: list[str], device: str) -> float:
    """The package on these texts, one after the other as it works, loading not counted."""
    from tests.encoders import official

    if name == "bertscore":
        scorer = official.bertscorer(weights / "distilroberta_base", work, device)
        with official.quietly(work):
            scorer.score(texts[:1], texts[:1])
            return timed(lambda: scorer.score(texts, texts[::-1], batch_size=1), device)
    if name == "chexbert":
        one = official.Chexbert(weights / "chexbert", work, device)
        one.labels(texts[:1])
        return timed(lambda: one.labels(texts), device)
    annotate = official.radgraph(weights / "radgraph", work, "radgraph", device)
    annotate(texts[:1])
    return timed(lambda: annotate(texts), device)


def flop(pieces: int, size: Any, name: str) -> int:
    """Floating-point operations of the transformer on one text: products with weights, and attention."""
    layers = 5 if name == "bertscore" else size.layers
    return layers * (24 * size.hidden**2 * pieces + 4 * size.hidden * pieces**2)


def differences(name: str, one: list[bytes], other: list[bytes]) -> tuple[int, float]:
    """How many discrete results differ, and the largest difference of a vector's component."""
    from scorer.encoding import chexbert, token_vectors

    if name == "radgraph":
        return sum(a != b for a, b in zip(one, other, strict=True)), 0.0
    unpack = chexbert.unpack if name == "chexbert" else token_vectors.unpack
    differing, largest = 0, 0.0
    for a, b in zip(one, other, strict=True):
        (marks, vectors), (other_marks, other_vectors) = unpack(a), unpack(b)
        differing += int((marks != other_marks).sum())
        largest = max(largest, float(np.abs(vectors - other_vectors).max()))
    return differing, largest


if __name__ == "__main__":
    main(sys.argv[1:])
