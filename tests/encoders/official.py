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


def bertscorer(model: Path, work: Path, device: str = "cpu", **options: Any) -> Any:
    """BERTScorer of bert-score 0.3.13: layer 5, rescaled with the published baseline."""
    baseline = work / "baseline.tsv"
    line = ",".join(str(value) for value in BASELINE)
    baseline.write_text("LAYER,P,R,F\n" + "".join(f"{layer},{line}\n" for layer in range(7)))
    with quietly(work):
        from bert_score import BERTScorer

        settings = {"rescale_with_baseline": True, "baseline_path": str(baseline), **options}
        return BERTScorer(model_type=str(model), num_layers=5, lang="en", device=device, **settings)


def bertscore(
    model: Path,
    work: Path,
    predictions: Sequence[str],
    references: Sequence[str],
    batch_size: int = 8,
    **options: Any,
) -> Floats:
    """(n, 3) precision, recall and F1 of the package, texts squeezed as CXR-Report-Metric does."""
    scorer = bertscorer(model, work, **options)
    squeezed = [[re.sub(" +", " ", text) for text in texts] for texts in (predictions, references)]
    with quietly(work):
        scores = scorer.score(*squeezed, batch_size=batch_size)
    return np.stack([one.numpy() for one in scores], axis=1).astype(np.float64)


class Chexbert:
    """f1chexbert 0.0.2 with the checkpoint and vocabulary of a weights folder."""

    def __init__(self, folder: Path, work: Path, device: str = "cpu") -> None:
        # A folder of that name in the current folder stands in for the hub's repository.
        with contextlib.suppress(FileExistsError):
            (work / "bert-base-uncased").symlink_to(folder / "base", target_is_directory=True)
        with quietly(work):
            from f1chexbert import f1chexbert

            before, f1chexbert.CACHE_DIR = f1chexbert.CACHE_DIR, str(folder)
            try:
                self.scorer = f1chexbert.F1CheXbert(device=device)
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

    def vectors(self, texts: Sequence[str], batch_size: int) -> None:
        """The [CLS] pass of CXR-Report-Metric's `encode.py`: padded batches in the order of input."""
        import pandas as pd
        import torch

        with quietly(self._work), torch.no_grad():
            for start in range(0, len(texts), batch_size):
                some = pd.Series(list(texts[start : start + batch_size]))
                ids = [torch.LongTensor(one) for one in self._module.tokenize(some, self.scorer.tokenizer)]
                padded = torch.nn.utils.rnn.pad_sequence(ids, batch_first=True)
                lengths = [len(one) for one in ids]
                mask = self._module.generate_attention_masks(padded, lengths, "cpu")
                self.scorer.model.bert(padded, attention_mask=mask)[0][:, 0]

    def labels(self, texts: Sequence[str]) -> None:
        """The package's label pass, a text at a time."""
        import torch

        with quietly(self._work), torch.no_grad():
            for text in texts:
                self.scorer.get_label(text)

    def report(
        self, predictions: Sequence[str], references: Sequence[str]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The package's own precision, recall and F1 tables over 14 and over 5 labels."""
        with quietly(self._work):
            _, _, over_14, over_5 = self.scorer(hyps=list(predictions), refs=list(references))
        return over_14, over_5


def radgraph(folder: Path, work: Path, kind: str, device: str = "cpu") -> Any:
    """RadGraph of radgraph 0.1.18 on an unpacked archive; call it with a list of texts."""
    with contextlib.suppress(FileExistsError):
        (work / kind).symlink_to(folder / "archive", target_is_directory=True)
    base = work / f"base-{kind}"  # the name that the archive's configuration gives its transformer
    if not base.exists():
        import shutil

        from transformers import AutoConfig, AutoModel

        shutil.copytree(folder / "base", base)
        AutoModel.from_config(AutoConfig.from_pretrained(base)).save_pretrained(base)
    cuda = int(device.partition(":")[2] or 0) if device.startswith("cuda") else -1
    with quietly(work):
        from radgraph import RadGraph
        from radgraph.allennlp.common import cached_transformers

        # The package keeps transformers by name for the life of the process, and names come again here.
        cached_transformers._model_cache.clear()
        cached_transformers._tokenizer_cache.clear()
        annotator = RadGraph(model_type=kind, model_cache_dir=str(work), cuda=cuda)

    def annotate(texts: Sequence[str]) -> dict[str, Any]:
        with quietly(work):
            return dict(annotator(list(texts)))

    return annotate
