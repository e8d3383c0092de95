"""RaTEScore's two encoders in the real formats, with small random weights."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from scorer.encoding.ratescore.tagger import TYPES
from scorer.weights.fetch import pin
from scorer.weights.lock import machine_lock


@dataclass(frozen=True, kw_only=True)
class Size:
    """Shape of both networks; `BASE` has that of the real ones."""

    hidden: int = 32
    layers: int = 2
    heads: int = 4
    vocabulary: int = 600


BASE = Size(hidden=768, layers=12, heads=12, vocabulary=30_000)
LABELS = ("O", *(f"{mark}-{kind}" for kind in TYPES for mark in "BI"))


def make_ratescore(weights_dir: Path, texts: list[str], size: Size | None = None) -> None:
    """Fills the folder of the encoder `ratescore` and locks it there."""
    size = size or Size()
    given = weights_dir.parent / f"{weights_dir.name}-ratescore"
    make_tagger(given / "tagger", texts, size)
    make_entities(given / "entities", texts, size)
    pin("ratescore", weights_dir, machine_lock(weights_dir), report=lambda *_: None, given=given)


def make_tagger(folder: Path, texts: list[str], size: Size) -> None:
    """A DeBERTa-v2 token classifier with a Unigram vocabulary."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import DebertaV2Config, DebertaV2ForTokenClassification, DebertaV2TokenizerFast

    special = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]
    counts = Counter(word for text in texts for word in text.split())
    words = [(f"▁{word}", math.log(n / counts.total())) for word, n in sorted(counts.items())]
    letters = sorted({letter for text in texts for letter in text if not letter.isspace()} | {"▁"})
    known = [*((one, 0.0) for one in special), *words, *((letter, -12.0) for letter in letters)]
    backend = Tokenizer(models.Unigram(known, unk_id=special.index("[UNK]"), byte_fallback=False))
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.decoder = decoders.Metaspace()
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    folder.mkdir(parents=True, exist_ok=True)
    DebertaV2TokenizerFast(tokenizer_object=backend).save_pretrained(folder)
    torch.manual_seed(1)
    config = DebertaV2Config(
        vocab_size=max(backend.get_vocab_size(), size.vocabulary),
        hidden_size=size.hidden,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        intermediate_size=4 * size.hidden,
        relative_attention=True,
        position_buckets=256,
        norm_rel_ebd="layer_norm",
        share_att_key=True,
        pos_att_type=["p2c", "c2p"],
        position_biased_input=False,
        max_position_embeddings=512,
        type_vocab_size=0,
        id2label=dict(enumerate(LABELS)),
        label2id={label: place for place, label in enumerate(LABELS)},
        pad_token_id=0,
    )
    network = DebertaV2ForTokenClassification(config)
    with torch.no_grad():  # labels that follow the token, so that entities of every shape come up
        network.classifier.weight.mul_(40)
    network.save_pretrained(folder)


def make_entities(folder: Path, texts: list[str], size: Size) -> None:
    """An MPNet encoder with a WordPiece vocabulary."""
    import torch
    from tokenizers import BertWordPieceTokenizer
    from transformers import MPNetConfig, MPNetModel, MPNetTokenizerFast

    trained = BertWordPieceTokenizer(lowercase=True)
    letters = " ".join(chr(code) for code in range(33, 127))
    trained.train_from_iterator(
        [*texts, letters] * 2, vocab_size=2000, min_frequency=2, show_progress=False, special_tokens=["[UNK]"]
    )
    words = [*("<s>", "<pad>", "</s>", "<unk>"), *sorted(trained.get_vocab()), "<mask>"]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(words) + "\n", "utf-8")
    MPNetTokenizerFast(vocab_file=str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(2)
    MPNetModel(
        MPNetConfig(
            vocab_size=max(len(words), size.vocabulary),
            hidden_size=size.hidden,
            num_hidden_layers=size.layers,
            num_attention_heads=size.heads,
            intermediate_size=4 * size.hidden,
            max_position_embeddings=514,
        )
    ).save_pretrained(folder)
