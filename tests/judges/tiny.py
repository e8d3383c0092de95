"""Tiny judges in the real format: a Llama checkpoint of a few kilobytes that any server can serve.

A scripted one writes one fixed answer. Its layers add nothing, so the next token follows from the last one
alone; every piece of the script is one token, and a piece's output row is the embedding of the piece before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

CHAT = "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}{% endfor %}<|answer|>"
SPECIAL = ["<unk>", "<s>", "</s>", "<|system|>", "<|user|>", "<|answer|>"]


def _tokenizer(folder: Path, script: Sequence[str]) -> int:
    """Bytes, the special pieces and the script; gives the size of the vocabulary."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: place for place, token in enumerate([*SPECIAL, *alphabet])}
    backend = Tokenizer(models.BPE(vocab=vocabulary, merges=[], unk_token="<unk>"))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    backend.add_special_tokens([AddedToken(token, special=True) for token in SPECIAL])
    backend.add_tokens([AddedToken(piece, normalized=False) for piece in script])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=backend,
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
        chat_template=CHAT,
        model_input_names=["input_ids", "attention_mask"],
    )
    fast.save_pretrained(folder)
    return backend.get_vocab_size()


def make(folder: Path, script: Sequence[str] = ()) -> Path:
    """Writes a judge that says the pieces of `script`, all different, or gibberish where there are none."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    assert len(set(script)) == len(script), "every piece of a script differs"
    size = _tokenizer(folder, script)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=size,
        hidden_size=64,
        intermediate_size=64,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=16384,
        tie_word_embeddings=False,
        bos_token_id=SPECIAL.index("<s>"),
        eos_token_id=SPECIAL.index("</s>"),
        pad_token_id=SPECIAL.index("</s>"),
    )
    network = LlamaForCausalLM(config)
    if script:
        with torch.no_grad():
            for layer in network.model.layers:
                layer.self_attn.o_proj.weight.zero_()
                layer.mlp.down_proj.weight.zero_()
            embeddings = torch.nn.functional.normalize(torch.randn(size, 64), dim=1)
            network.model.embed_tokens.weight.copy_(embeddings)
            network.lm_head.weight.zero_()
            chain = [SPECIAL.index("<|answer|>"), *range(size - len(script), size), SPECIAL.index("</s>")]
            for before, after in pairwise(chain):
                network.lm_head.weight[after] = embeddings[before]
    network.generation_config.max_new_tokens = 64
    network.save_pretrained(folder)
    return folder


GREEN_SCRIPT = (
    "[Explanation]:\nThe hearts agree.",
    "\n\n[Clinically Significant Errors]:\n(a) Made up: 1. an effusion\n",
    "(b) Left out: 2. a nodule; a line",
    "\n\n[Clinically Insignificant Errors]:\nNo errors.",
    "\n\n[Matched Findings]:\n3. heart; lungs; bones",
)
"""An answer with three significant errors and three matches: GREEN 0.5."""

CRIMSON_SCRIPT = (
    '{"reference_findings": [{"id": "R1", "finding": "big heart", ',
    '"clinical_significance": "urgent"}], ',
    '"predicted_findings": [{"id": "P1", "finding": "heart", "clinical_significance": "urgent"}], ',
    '"matched_findings": [{"ref_id": "R1", "pred_id": "P1"}], "errors": {"false_findings": [], ',
    '"missing_findings": [], "attribute_errors": [{"ref_id": "R1", "pred_id": "P1", ',
    '"severity": "significant", "error_types": ["severity"], "explanation": "size"}]}}',
)
"""One urgent finding, matched, with one significant attribute error: 1 * 1 / (1 + 0.5), CRIMSON 2/3."""
