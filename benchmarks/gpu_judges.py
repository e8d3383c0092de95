"""Throughput of the judges' architectures with random weights at their real sizes, on one CUDA device.

Run on a lent machine: `python -m benchmarks.gpu_judges [--seconds 120] [--json OUT]`. transformers always, vLLM
where it is installed; tokens a second beside the floor that memory bandwidth sets: at batch size 1 every new
token reads all weights once. Random weights write gibberish of a fixed length, which is what speed needs.
`--device cpu --tiny --seconds 0` tries the script itself on any machine and measures nothing.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.table import print_table

PROMPT, ANSWER = 900, 300
"""Tokens of a question and of an answer, about GREEN's."""


@dataclass(frozen=True, kw_only=True)
class _Tried:
    """How a judge is timed: device, tokens of question and answer, and seconds for each batch size."""

    device: str
    seconds: float
    prompt: int = PROMPT
    answer: int = ANSWER


_TINY = {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 2, "vocab_size": 32000}


def _configurations(is_tiny: bool) -> dict[str, Any]:
    """GREEN (Llama-2 7B) and CRIMSON (MedGemma 4B: Gemma-3's text part) by size, or the same kinds in small."""
    from transformers import Gemma3TextConfig, LlamaConfig

    if is_tiny:
        return {
            "green": LlamaConfig(**_TINY, num_attention_heads=2, num_key_value_heads=2),
            "crimson": Gemma3TextConfig(**_TINY, num_attention_heads=2, num_key_value_heads=1, head_dim=32),
        }
    return {
        "green": LlamaConfig(
            vocab_size=32000,
            hidden_size=4096,
            intermediate_size=11008,
            num_hidden_layers=32,
            num_attention_heads=32,
            num_key_value_heads=32,
            max_position_embeddings=4096,
        ),
        "crimson": Gemma3TextConfig(
            vocab_size=262208,
            hidden_size=2560,
            intermediate_size=10240,
            num_hidden_layers=34,
            num_attention_heads=8,
            num_key_value_heads=4,
            head_dim=256,
        ),
    }


def _finish(torch: Any, device: str) -> None:
    """Waits until the device has done what it was given."""
    if device != "cpu":
        torch.cuda.synchronize()


def _bandwidth(torch: Any, device: str, size: int) -> float:
    """Bytes a second that the device reads and writes, by copying `size` bytes."""
    source = torch.empty(size, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    for _ in range(3):
        target.copy_(source)
    _finish(torch, device)
    start = time.perf_counter()
    for _ in range(20):
        target.copy_(source)
    _finish(torch, device)
    return 20 * 2 * source.numel() / (time.perf_counter() - start)


def _with_transformers(torch: Any, network: Any, batch: int, tried: _Tried) -> tuple[float, float]:
    """(new tokens a second, pairs a second) at one batch size."""
    ids = torch.randint(10, 30000, (batch, tried.prompt), device=tried.device)
    options = {
        "max_new_tokens": tried.answer,
        "min_new_tokens": tried.answer,
        "do_sample": False,
        "pad_token_id": 0,
    }
    mask = torch.ones_like(ids)
    network.generate(ids, attention_mask=mask, **{**options, "max_new_tokens": 8, "min_new_tokens": 8})
    _finish(torch, tried.device)
    start, rounds = time.perf_counter(), 0
    while rounds == 0 or time.perf_counter() - start < tried.seconds:
        network.generate(ids, attention_mask=mask, **options)
        _finish(torch, tried.device)
        rounds += 1
    took = time.perf_counter() - start
    return rounds * batch * tried.answer / took, rounds * batch / took


def _with_vllm(folder: Path, dtype: str, n: int) -> tuple[float, float]:
    """(new tokens a second, pairs a second) of vLLM's own batching over n questions."""
    from vllm import LLM, SamplingParams

    judge = LLM(
        model=str(folder), load_format="dummy", dtype=dtype, max_model_len=2048, skip_tokenizer_init=True
    )
    sampling = SamplingParams(temperature=0.0, max_tokens=ANSWER, min_tokens=ANSWER, detokenize=False)
    asked = [{"prompt_token_ids": [10 + (k * 7 + i) % 30000 for i in range(PROMPT)]} for k in range(n)]
    judge.generate(asked[:8], sampling, use_tqdm=False)
    start = time.perf_counter()
    judge.generate(asked, sampling, use_tqdm=False)
    took = time.perf_counter() - start
    return n * ANSWER / took, n / took


def main(arguments: list[str] | None = None) -> None:
    """Prints the table and writes the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0, help="for each batch size")
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 8, 32])
    parser.add_argument("--vllm-pairs", type=int, default=256)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tiny", action="store_true", help="small networks: tries the script only")
    options = parser.parse_args(arguments)

    import torch
    from transformers import AutoModelForCausalLM

    if options.device != "cpu" and not torch.cuda.is_available():
        print("gpu_judges: no CUDA device here; nothing was measured")
        return
    tried = _Tried(device=options.device, seconds=options.seconds)
    if options.tiny:
        tried = replace(tried, prompt=20, answer=10)
    library: Any = AutoModelForCausalLM
    bandwidth = _bandwidth(torch, tried.device, 1 << 20 if options.tiny else 1 << 30)
    rows: list[dict[str, Any]] = []
    for judge, config in _configurations(options.tiny).items():
        dtype = {"green": torch.float16, "crimson": torch.bfloat16}[judge]
        with torch.device(tried.device):
            network = library.from_config(config, dtype=dtype).eval()
        size = sum(p.numel() * p.element_size() for p in network.parameters())
        floor = (
            bandwidth / 2 / size
        )  # a token reads the weights once; the copy above counted reads and writes
        for batch in options.batches:
            with torch.inference_mode():
                tokens, pairs = _with_transformers(torch, network, batch, tried)
            rows.append(
                {"judge": judge, "with": f"transformers, batch {batch}", "tokens": tokens, "pairs": pairs}
            )
            rows[-1]["of_floor"] = tokens / (floor * batch)
        del network
        if tried.device != "cpu":
            torch.cuda.empty_cache()
        if tried.device != "cpu" and importlib.util.find_spec("vllm") is not None:
            with tempfile.TemporaryDirectory() as folder:
                config.architectures = ["LlamaForCausalLM" if judge == "green" else "Gemma3ForCausalLM"]
                config.save_pretrained(folder)
                tokens, pairs = _with_vllm(
                    Path(folder), str(dtype).removeprefix("torch."), options.vllm_pairs
                )
            rows.append(
                {"judge": judge, "with": "vLLM", "tokens": tokens, "pairs": pairs, "of_floor": tokens / floor}
            )
    name = "the processor" if tried.device == "cpu" else torch.cuda.get_device_name()
    print_table(
        f"Judges, random weights, {name} ({bandwidth / 1e12:.2f} TB/s), {tried.prompt} tokens in,"
        f" {tried.answer} out",
        ("judge", "with", "new tokens/s", "pairs/s", "of the batch-1 bandwidth floor, a sequence"),
        [
            (r["judge"], r["with"], f"{r['tokens']:.0f}", f"{r['pairs']:.2f}", f"{r['of_floor']:.2f}")
            for r in rows
        ],
    )
    if options.json:
        options.json.write_text(
            json.dumps({"device": name, "bandwidth": bandwidth, "rows": rows}, indent=2) + "\n"
        )


if __name__ == "__main__":
    main()
