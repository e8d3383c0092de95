"""Small random weights in the real formats, so that the whole path runs without any download.

`make_tiny_weights(folder)` is all that a test of `rexrank score` needs: it fills a weights folder and writes a lock
of its own there. The numbers mean nothing; what is real is every file format, name and shape rule.
"""

from __future__ import annotations

import io
import json
import shutil
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer.weights.fetch import pin
from scorer.weights.lock import machine_lock
from tests.encoders.texts import reports

RELATIONS = ("modify", "located_at", "suggestive_of")
LABELS = {
    "radgraph": ("ANAT-DP", "OBS-DP", "OBS-U", "OBS-DA"),
    "radgraph-xl": (
        "Observation::definitely present",
        "Anatomy::definitely present",
        "Observation::definitely absent",
        "Observation::uncertain",
    ),
}


@dataclass(frozen=True, kw_only=True)
class Size:
    """Shape of the random networks; `BASE` has that of the real ones."""

    hidden: int = 32
    layers: int = 2
    heads: int = 4
    roberta_layers: int = 6
    feature: int = 8
    feedforward: int = 24


BASE = Size(hidden=768, layers=12, heads=12, feature=20, feedforward=150)


ENCODERS = ("distilroberta_base", "chexbert", "radgraph", "radgraph_xl")


def make_tiny_weights(
    weights_dir: Path,
    *,
    size: Size | None = None,
    texts: list[str] | None = None,
    encoders: Sequence[str] = ENCODERS,
) -> None:
    """Fills a weights folder with random weights of every encoder and locks them there.

    Args:
        texts: what the vocabularies are learned from; invented reports when None.
        encoders: which to make.
    """
    size = size or Size()
    texts = texts or reports(200, seed=11)
    given = weights_dir.parent / f"{weights_dir.name}-given"
    for encoder in encoders:
        folder = given / encoder
        if encoder == "distilroberta_base":
            make_roberta(folder, size, texts)
        elif encoder == "chexbert":
            make_chexbert(folder, size, texts)
        else:
            make_radgraph(folder, size, texts, kind=encoder.replace("_", "-"))
        pin(encoder, weights_dir, machine_lock(weights_dir), report=lambda *_: None, given=folder)
    shutil.rmtree(given)


def write_bert_base(folder: Path, size: Size, texts: list[str]) -> Any:
    """config.json and an uncased WordPiece vocabulary; gives the configuration."""
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertConfig

    folder.mkdir(parents=True, exist_ok=True)
    tokeniser = BertWordPieceTokenizer(lowercase=True)
    # Every ASCII mark, letter and digit is in the alphabet, so that unknown pieces stay the exception.
    alphabet = " ".join(chr(code) for code in range(33, 127))
    tokeniser.train_from_iterator(
        [*texts, alphabet] * 2, vocab_size=3000, min_frequency=2, show_progress=False
    )
    tokeniser.save_model(str(folder))
    config = BertConfig(
        vocab_size=30522 if size.hidden == BASE.hidden else tokeniser.get_vocab_size(),
        hidden_size=size.hidden,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        intermediate_size=4 * size.hidden,
        max_position_embeddings=512,
        initializer_range=0.02 if size.hidden == BASE.hidden else 0.2,
    )
    config.save_pretrained(folder)
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"do_lower_case": True, "model_max_length": 512, "tokenizer_class": "BertTokenizer"})
    )
    return config


def make_roberta(folder: Path, size: Size, texts: list[str]) -> None:
    """A RoBERTa in the hub's layout: config, byte-level BPE, safetensors with a masked-language head."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import RobertaConfig, RobertaForMaskedLM

    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    tokeniser = ByteLevelBPETokenizer(add_prefix_space=True)
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokeniser.train_from_iterator(
        texts, vocab_size=2000, min_frequency=2, special_tokens=special, show_progress=False
    )
    tokeniser.save_model(str(folder))
    config = RobertaConfig(
        vocab_size=50265 if size.hidden == BASE.hidden else tokeniser.get_vocab_size(),
        hidden_size=size.hidden,
        num_hidden_layers=size.roberta_layers,
        num_attention_heads=size.heads,
        intermediate_size=4 * size.hidden,
        max_position_embeddings=514,
        type_vocab_size=1,
        layer_norm_eps=1e-5,
        bos_token_id=0,
        pad_token_id=1,
        eos_token_id=2,
        initializer_range=0.02 if size.hidden == BASE.hidden else 0.2,
    )
    RobertaForMaskedLM(config).save_pretrained(folder, safe_serialization=True)
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"model_max_length": 512, "tokenizer_class": "RobertaTokenizer"})
    )


def make_chexbert(folder: Path, size: Size, texts: list[str]) -> None:
    """`chexbert.pth` as `{"model_state_dict": …}` with `module.` names, position ids among them, and the base."""
    import torch
    from transformers import BertModel

    config = write_bert_base(folder / "base", size, texts)
    torch.manual_seed(2)
    state = {f"module.bert.{name}": tensor for name, tensor in BertModel(config).state_dict().items()}
    state["module.bert.embeddings.position_ids"] = torch.arange(512)[None]
    for head in range(14):
        linear = torch.nn.Linear(size.hidden, 4 if head < 13 else 2)
        state[f"module.linear_heads.{head}.weight"] = linear.weight.detach()
        state[f"module.linear_heads.{head}.bias"] = linear.bias.detach()
    torch.save({"epoch": 3, "model_state_dict": state}, folder / "chexbert.pth")


def make_radgraph(folder: Path, size: Size, texts: list[str], *, kind: str) -> None:
    """A DyGIE++ archive, and the configuration and vocabulary of its transformer."""
    import torch

    config = write_bert_base(folder / "base", size, texts)
    torch.manual_seed(3 if kind == "radgraph" else 4)
    buffer = io.BytesIO()
    torch.save(radgraph_state(config, size, kind), buffer)
    members = {
        "config.json": json.dumps(radgraph_config(size, kind)).encode(),
        "weights.th": buffer.getvalue(),
        "vocabulary/non_padded_namespaces.txt": b"*tags\n*labels\n",
        f"vocabulary/{kind}__ner_labels.txt": ("\n" + "\n".join(LABELS[kind]) + "\n").encode(),
        f"vocabulary/{kind}__relation_labels.txt": ("\n".join(RELATIONS) + "\n").encode(),
    }
    with tarfile.open(folder / f"{kind}.tar.gz", "w:gz", compresslevel=1) as tar:
        for name, data in members.items():
            member = tarfile.TarInfo(f"./{name}")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))


def radgraph_config(size: Size, kind: str) -> dict[str, Any]:
    """The parts of an AllenNLP configuration that the reader and the network are made from."""
    indexer = {"type": "pretrained_transformer_mismatched", "model_name": f"base-{kind}", "max_length": 512}
    return {
        "dataset_reader": {"type": "dygie", "token_indexers": {"bert": indexer}, "max_span_width": 8},
        "model": {
            "type": "dygie",
            "embedder": {"token_embedders": {"bert": dict(indexer)}},
            "initializer": {},
            "module_initializer": {},
            "loss_weights": {"ner": 0.2, "relation": 1.0, "coref": 0.0, "events": 0.0},
            "feature_size": size.feature,
            "max_span_width": 8,
            "target_task": "relation",
            "feedforward_params": {"num_layers": 2, "hidden_dims": size.feedforward, "dropout": 0.4},
            "modules": {
                "coref": {"spans_per_word": 0.3, "max_antecedents": 100, "coref_prop": 0},
                "ner": {},
                "relation": {"spans_per_word": 0.5},
                "events": {
                    "trigger_spans_per_word": 0.3,
                    "argument_spans_per_word": 0.8,
                    "loss_weights": {"trigger": 1.0, "arguments": 1.0},
                },
            },
        },
    }


def radgraph_state(config: Any, size: Size, kind: str) -> dict[str, Any]:
    """Random tensors under the names of a DyGIE++ checkpoint, unused coreference and event parts included."""
    import torch
    from transformers import BertModel

    span = 2 * size.hidden + size.feature
    hidden = size.feedforward
    state: dict[str, Any] = {}

    def linear(name: str, inputs: int, outputs: int) -> None:
        layer = torch.nn.Linear(inputs, outputs)
        state[f"{name}.weight"], state[f"{name}.bias"] = layer.weight.detach(), layer.bias.detach()

    def feedforward(name: str, inputs: int) -> None:
        linear(f"{name}._linear_layers.0", inputs, hidden)
        linear(f"{name}._linear_layers.1", hidden, hidden)

    def scores(inner: str, outer: str, inputs: Any) -> Any:
        for layer in (f"{inner}._linear_layers.0", f"{inner}._linear_layers.1"):
            inputs = torch.relu(inputs @ state[f"{layer}.weight"].T + state[f"{layer}.bias"])
        return inputs @ state[f"{outer}.weight"].T + state[f"{outer}.bias"]

    def make_rare(outer: str, found: Any, share: float) -> None:
        """Lowers a scorer's bias until about that share of inputs beats the null label, as in real graphs."""
        state[f"{outer}.bias"] = state[f"{outer}.bias"] - found.max(dim=1).values.quantile(1 - share)

    network = BertModel(config).eval()
    prefix = "_embedder.token_embedder_bert._matched_embedder.transformer_model."
    state |= {prefix + name: tensor for name, tensor in network.state_dict().items()}
    state["_endpoint_span_extractor._span_width_embedding.weight"] = torch.randn(8, size.feature)
    ner = f"_ner._ner_scorers.{kind}__ner_labels"
    feedforward(f"{ner}.0._module", span)
    linear(f"{ner}.1._module", hidden, len(LABELS[kind]))
    namespace = f"{kind}__relation_labels"
    feedforward(f"_relation._mention_pruners.{namespace}._scorer.0._module", span)
    linear(f"_relation._mention_pruners.{namespace}._scorer.1._module", hidden, 1)
    feedforward(f"_relation._relation_feedforwards.{namespace}", 3 * span)
    linear(f"_relation._relation_scorers.{namespace}", hidden, len(RELATIONS))
    with torch.no_grad():
        words = network(torch.randint(5, config.vocab_size, (40, 50))).last_hidden_state
        widths = state["_endpoint_span_extractor._span_width_embedding.weight"]
        first, wide = torch.randint(42, (2, 40, 60)), torch.randint(8, (2, 40, 60))
        row = torch.arange(40)[None, :, None]
        heads, tails = torch.cat([words[row, first], words[row, first + wide], widths[wide]], dim=3).flatten(
            1, 2
        )
        make_rare(f"{ner}.1._module", scores(f"{ner}.0._module", f"{ner}.1._module", heads), 0.07)
        pruner = f"_relation._mention_pruners.{namespace}._scorer"
        likely = sum(scores(f"{pruner}.0._module", f"{pruner}.1._module", side) for side in (heads, tails))
        relation = (
            f"_relation._relation_feedforwards.{namespace}",
            f"_relation._relation_scorers.{namespace}",
        )
        make_rare(
            relation[1], scores(*relation, torch.cat([heads, tails, heads * tails], dim=1)) + likely, 0.05
        )
    state["_coref._distance_embedding.weight"] = torch.randn(10, size.feature)
    feedforward("_coref._antecedent_feedforward._module", 3 * span + size.feature)
    feedforward("_coref._mention_pruner._scorer.0._module", span)
    linear("_coref._mention_pruner._scorer.1._module", hidden, 1)
    linear("_coref._antecedent_scorer._module", hidden, 1)
    linear("_coref._f_network._linear_layers.0", 2 * span, span)
    state["_events._distance_embedding.weight"] = torch.randn(10, size.feature)
    return state
