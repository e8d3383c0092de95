"""Networks and vocabularies of RaTEScore's two encoders, from files on disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scorer.encoding.encoder import Item
from scorer.encoding.transformer import load_strictly, read_state, refuse
from scorer.weights import Weights

__all__ = ["Vocabulary", "checkpoint", "network"]


def checkpoint(folder: Path) -> Path:
    """The file of tensors in a folder: safetensors where there is one."""
    safe = folder / "model.safetensors"
    return safe if safe.is_file() else folder / "pytorch_model.bin"


def network(
    folder: Path, weights: Weights, device: str, kind: str, ignored: tuple[str, ...], **options: Any
) -> Any:
    """The network in a folder, loaded strictly, in fp32.

    Args:
        kind: the transformers class that builds it from its description.
        ignored: prefixes of tensors that the file may hold and the network does not need.

    Raises:
        WeightsMissing: the files do not make up such a network.
    """
    import torch
    import transformers

    library: Any = transformers
    try:
        config = library.AutoConfig.from_pretrained(folder, local_files_only=True)
        with torch.device("meta"):
            built = getattr(library, kind).from_config(config, **options)
    except (OSError, ValueError, KeyError) as error:
        what = f"{folder.name} describes no network of the kind {kind}"
        raise refuse(weights, f"{what} ({type(error).__name__})") from error
    state = read_state(checkpoint(folder), weights)
    needed = (
        {name: tensor for name, tensor in state.items() if not name.startswith(ignored)} if ignored else state
    )
    load_strictly(built, needed, weights, device)
    return built


class Vocabulary:
    """The tokeniser of a folder as the library finds it, and batches of pieces."""

    def __init__(self, folder: Path, weights: Weights, limit: int) -> None:
        import transformers

        library: Any = transformers
        try:
            self.tokeniser = library.AutoTokenizer.from_pretrained(folder, local_files_only=True)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise refuse(
                weights, f"{folder.name} holds no readable vocabulary ({type(error).__name__})"
            ) from error
        self._limit = limit
        # The library's own call takes three times as long as the tokeniser behind it.
        self._backend = self.tokeniser.backend_tokenizer if self.tokeniser.is_fast else None

    def item(self, text: str) -> Item:
        """A text's pieces with the special ones around them, cut to the limit."""
        if self._backend is None:
            ids = self.tokeniser(text, truncation=False, verbose=False)["input_ids"]
        else:
            self._backend.no_truncation()
            self._backend.no_padding()
            ids = self._backend.encode(text).ids
        is_cut = len(ids) > self._limit
        if is_cut:
            ids = self.tokeniser(text, truncation=True, max_length=self._limit)["input_ids"]
        return Item(pieces=tuple(ids), length=len(ids), is_cut=is_cut)

    def batch(self, items: Sequence[Item], device: str) -> dict[str, Any]:
        """The network's input for some items, padded to the longest."""
        from scorer.encoding.transformer import pad

        ids, mask = pad([item.pieces for item in items], int(self.tokeniser.pad_token_id), device)
        return {"input_ids": ids, "attention_mask": mask}
