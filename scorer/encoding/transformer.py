"""Transformer encoders from files on disk: strict loading, and word pieces as the reference packages cut them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scorer.errors import WeightsMissing
from scorer.weights import Weights

if TYPE_CHECKING:
    import torch

__all__ = ["Tokeniser", "build", "load_strictly", "pad", "read_state", "refuse", "stripped"]

ARCHITECTURES = frozenset({"bert", "roberta"})

_HARMLESS = re.compile(r"(^|\.)embeddings\.(position_ids|token_type_ids)$")
"""Buffers that some versions of transformers stored; they hold 0, 1, 2, … and zeros."""


def refuse(weights: Weights, why: str) -> WeightsMissing:
    """The error for files that are here but do not make up the encoder."""
    return WeightsMissing(f"{weights.encoder}: {why}", f"rexrank weights verify {weights.encoder}")


def read_state(path: Path, weights: Weights) -> dict[str, torch.Tensor]:
    """The tensors of a checkpoint in memory-mapped form where its format allows; no code in it is run.

    Raises:
        WeightsMissing: the file cannot be read as tensors.
    """
    import pickle

    import torch

    try:
        if path.suffix == ".safetensors":
            from safetensors.torch import load_file

            return dict(load_file(path))
        try:
            state: Any = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
        except (RuntimeError, ValueError):  # the older format cannot be mapped
            state = torch.load(path, map_location="cpu", weights_only=True)
    except (OSError, RuntimeError, ValueError, KeyError, EOFError, pickle.UnpicklingError) as error:
        raise refuse(weights, f"{path.name} is no readable checkpoint ({type(error).__name__})") from error
    except Exception as error:  # safetensors raises a class of its own
        if type(error).__module__.partition(".")[0] not in {"safetensors", "safetensors_rust"}:
            raise
        raise refuse(weights, f"{path.name} is no readable checkpoint ({type(error).__name__})") from error
    if not isinstance(state, Mapping):
        raise refuse(weights, f"{path.name} holds no table of tensors")
    return dict(state)


def stripped(state: Mapping[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    """The tensors whose names start with `prefix`, without it."""
    return {name.removeprefix(prefix): tensor for name, tensor in state.items() if name.startswith(prefix)}


def build(folder: Path, weights: Weights, *, layers: int | None = None) -> Any:
    """The network that `folder/config.json` describes, without weights and without a pooler.

    Args:
        layers: how many layers to keep; None keeps all.

    Raises:
        WeightsMissing: there is no such description, or it is of another kind of network.
    """
    import torch
    from transformers import AutoConfig, AutoModel

    try:
        kind = json.loads((folder / "config.json").read_bytes()).get("model_type")
    except (OSError, ValueError, AttributeError) as error:
        raise refuse(weights, f"{folder.name}/config.json is no description of a network") from error
    if kind not in ARCHITECTURES:
        raise refuse(
            weights, f"the network is of another kind ({kind}) than {', '.join(sorted(ARCHITECTURES))}"
        )
    config = AutoConfig.from_pretrained(folder, local_files_only=True)
    if layers is not None:
        if config.num_hidden_layers < layers:
            raise refuse(weights, f"the network has {config.num_hidden_layers} layers, {layers} are needed")
        config.num_hidden_layers = layers
    with torch.device("meta"):
        return AutoModel.from_config(config, add_pooling_layer=False)  # type: ignore[no-untyped-call]


def load_strictly(network: Any, state: Mapping[str, torch.Tensor], weights: Weights, device: str) -> None:
    """Gives a network its weights in fp32: every tensor it has, and none that it has not.

    Raises:
        WeightsMissing: a tensor is missing, left over or of another shape; never are random values kept.
    """
    import torch

    kept = {name: tensor.float() for name, tensor in state.items() if not _HARMLESS.search(name)}
    expected = dict(network.state_dict())
    missing, extra = sorted(expected.keys() - kept.keys()), sorted(kept.keys() - expected.keys())
    reshaped = sorted(
        name for name in expected.keys() & kept.keys() if expected[name].shape != kept[name].shape
    )
    wrong = [
        f"{len(names)} tensors {what} (first: {names[0]})"
        for what, names in (("missing", missing), ("left over", extra), ("of another shape", reshaped))
        if names
    ]
    if wrong:
        raise refuse(weights, f"the checkpoint does not fit the network: {'; '.join(wrong)}")
    network.load_state_dict(kept, strict=True, assign=True)
    for name, buffer in list(network.named_buffers()):
        if buffer.is_meta:  # positions and token types are not stored; they are what they always are
            owner, _, last = name.rpartition(".")
            length = buffer.shape[-1]
            values = torch.arange(length) if last == "position_ids" else torch.zeros(length, dtype=torch.long)
            setattr(network.get_submodule(owner), last, values.expand(1, -1).clone())
    network.eval().to(device)
    for parameter in network.parameters():
        parameter.requires_grad_(False)


def pad(rows: Sequence[Sequence[int]], filler: int, device: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows of piece ids as one int64 (n, longest) tensor, and the mask that is 1 on real pieces."""
    import torch

    longest = max(len(row) for row in rows)
    ids = torch.tensor([[*row, *[filler] * (longest - len(row))] for row in rows], dtype=torch.long)
    lengths = torch.tensor([len(row) for row in rows])
    mask = (torch.arange(longest)[None, :] < lengths[:, None]).long()
    return ids.to(device), mask.to(device)


class Tokeniser:
    """Word pieces of BERT and RoBERTa vocabularies, as the packages' own slow tokenisers cut them.

    The fast tokeniser is used where it provably cuts alike, which is ASCII text without the name of a special
    piece; elsewhere the two differ (Unicode tables; a leading space after a special piece), and the slow one
    is used. RoBERTa text starts with a space, so that its first word is cut like any other word.
    """

    def __init__(self, folder: Path, weights: Weights) -> None:
        import transformers

        kind = "Roberta" if (folder / "merges.txt").is_file() else "Bert"
        options: dict[str, Any] = {"local_files_only": True}
        if kind == "Roberta":
            options["add_prefix_space"] = True
        try:
            self._slow = getattr(transformers, f"{kind}Tokenizer").from_pretrained(folder, **options)
            self._fast = getattr(transformers, f"{kind}TokenizerFast").from_pretrained(folder, **options)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise refuse(
                weights, f"{folder.name} holds no readable vocabulary ({type(error).__name__})"
            ) from error
        self.start, self.end = int(self._slow.cls_token_id), int(self._slow.sep_token_id)
        self.filler = int(self._slow.pad_token_id)
        self._specials = tuple(self._slow.added_tokens_encoder)
        self._slow_options = {"add_prefix_space": True} if kind == "Roberta" else {}

    def pieces(self, text: str) -> list[int]:
        """The ids of a text's pieces, without special ones around them and without a limit."""
        if text.isascii() and not any(special in text for special in self._specials):
            return self.fast_pieces(text)
        tokens = self._slow.tokenize(text, **self._slow_options)
        return list(self._slow.convert_tokens_to_ids(tokens))

    def fast_pieces(self, text: str) -> list[int]:
        """As `pieces`, by the fast tokeniser whatever the text."""
        return list(self._fast.backend_tokenizer.encode(text, add_special_tokens=False).ids)

    def framed(self, text: str, limit: int) -> tuple[list[int], bool]:
        """The ids with the special pieces around them, at most `limit`, and whether that cut the text."""
        ids = self.pieces(text)
        return [self.start, *ids[: limit - 2], self.end], len(ids) > limit - 2
