"""The reference packages' own classes, run on the weights of the tiny world."""

from __future__ import annotations

import contextlib
import io
import os
import re
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scorer.statistics.bertscore import BASELINE
from scorer.types import Floats


@contextlib.contextmanager
def quietly(folder: Path) -> Iterator[None]:
    """Runs foreign code in `folder`, without its warnings and prints counting against our tests."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        with (
            warnings.catch_warnings(),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            warnings.simplefilter("ignore")
            yield
    finally:
        os.chdir(before)


def bertscore(
    model: Path, work: Path, predictions: Sequence[str], references: Sequence[str], **options: Any
) -> Floats:
    """(n, 3) precision, recall and F1 of bert-score 0.3.13, texts squeezed as CXR-Report-Metric does."""
    baseline = work / "baseline.tsv"
    line = ",".join(str(value) for value in BASELINE)
    baseline.write_text("LAYER,P,R,F\n" + "".join(f"{layer},{line}\n" for layer in range(7)))
    squeezed = [[re.sub(" +", " ", text) for text in texts] for texts in (predictions, references)]
    with quietly(work):
        from bert_score import BERTScorer

        settings = {"rescale_with_baseline": True, "baseline_path": str(baseline), **options}
        scorer = BERTScorer(model_type=str(model), num_layers=5, lang="en", device="cpu", **settings)
        return np.stack([scores.numpy() for scores in scorer.score(*squeezed, batch_size=8)], axis=1).astype(
            np.float64
        )


class Chexbert:
    """f1chexbert 0.0.2 with the checkpoint and vocabulary of a weights folder."""

    def __init__(self, folder: Path, work: Path) -> None:
        # A folder of that name in the current folder stands in for the hub's repository.
        with contextlib.suppress(FileExistsError):
            (work / "bert-base-uncased").symlink_to(folder / "base", target_is_directory=True)
        with quietly(work):
            from f1chexbert import f1chexbert

            before, f1chexbert.CACHE_DIR = f1chexbert.CACHE_DIR, str(folder)
            try:
                self.scorer = f1chexbert.F1CheXbert(device="cpu")
            finally:
                f1chexbert.CACHE_DIR = before
            self._module = f1chexbert
        self._work = work

    def encode(self, texts: Sequence[str]) -> tuple[Floats, Floats]:
        """([CLS] vectors (n, d), class indices (n, 14)), one text at a time as the package does."""
        import pandas as pd
        import torch

        vectors, labels = [], []
        with quietly(self._work), torch.no_grad():
            for text in texts:
                ids = torch.LongTensor(self._module.tokenize(pd.Series([text]), self.scorer.tokenizer))
                mask = torch.ones(ids.shape)
                vectors.append(self.scorer.model.bert(ids, attention_mask=mask)[0][0, 0].numpy())
                heads = self.scorer.model(ids, mask)
                labels.append([int(head.argmax(dim=1)) for head in heads])
        return np.array(vectors, dtype=np.float64), np.array(labels, dtype=np.float64)

    def report(
        self, predictions: Sequence[str], references: Sequence[str]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The package's own precision, recall and F1 tables over 14 and over 5 labels."""
        with quietly(self._work):
            _, _, over_14, over_5 = self.scorer(hyps=list(predictions), refs=list(references))
        return over_14, over_5


def radgraph(folder: Path, work: Path, kind: str) -> Any:
    """RadGraph of radgraph 0.1.18 on an unpacked archive; call it with a list of texts."""
    with contextlib.suppress(FileExistsError):
        (work / kind).symlink_to(folder / "archive", target_is_directory=True)
    base = work / f"base-{kind}"  # the name that the archive's configuration gives its transformer
    if not base.exists():
        import shutil

        from transformers import AutoConfig, AutoModel

        shutil.copytree(folder / "base", base)
        AutoModel.from_config(AutoConfig.from_pretrained(base)).save_pretrained(base)
    with quietly(work):
        from radgraph import RadGraph

        annotator = RadGraph(model_type=kind, model_cache_dir=str(work), cuda=-1)

    def annotate(texts: Sequence[str]) -> dict[str, Any]:
        with quietly(work):
            return dict(annotator(list(texts)))

    return annotate
