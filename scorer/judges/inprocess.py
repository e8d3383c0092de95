"""Judges run in this process with transformers: for small judges, tests, and machines without a server.

One pair at a time: a batch is padded, padding moves the last bits of the logits, and greedy decoding can
then take another path; a row must not depend on its neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from scorer.judges.base import Completion, Endpoint, JudgeCard, Prompt

__all__ = ["InProcess"]


class InProcess:
    """A backend over a weights folder; see `scorer.judges.base.Backend`. Loads on first use."""

    def __init__(self, card: JudgeCard, endpoint: Endpoint, device: str) -> None:
        self._card, self._folder, self._device = card, endpoint.model, device

    def complete(self, prompts: Iterable[Prompt]) -> Iterator[tuple[int, Completion]]:
        """One by one, in order."""
        import torch
        import transformers

        library: Any = transformers  # its signatures say less than they take
        tokenizer = library.AutoTokenizer.from_pretrained(self._folder, local_files_only=True)
        if self._card.chat_template:
            tokenizer.chat_template = self._card.chat_template
        # Half precision is what these judges were released in; on a CPU it is slow and no closer to them.
        dtype = torch.float32 if self._device == "cpu" else getattr(torch, self._card.dtype)
        network = library.AutoModelForCausalLM.from_pretrained(
            self._folder, dtype=dtype, local_files_only=True
        )
        network = network.to(self._device).eval()
        for position, prompt in enumerate(prompts):
            with torch.inference_mode():
                yield position, self._answer(network, tokenizer, prompt)

    def _answer(self, network: Any, tokenizer: Any, prompt: Prompt) -> Completion:
        turns = [{"role": message.role, "content": message.content} for message in prompt]
        inputs = tokenizer.apply_chat_template(
            turns, add_generation_prompt=True, return_tensors="pt", return_dict=True
        )
        n_prompt = int(inputs["input_ids"].shape[1])
        room = self._card.decoding.context - n_prompt
        if room < 1:
            return Completion(text="", finish="too_long", prompt_tokens=n_prompt)
        end = tokenizer.eos_token_id
        output = network.generate(
            input_ids=inputs["input_ids"].to(network.device),
            attention_mask=inputs["attention_mask"].to(network.device),
            max_new_tokens=min(room, self._card.decoding.max_tokens or room),
            do_sample=False,
            num_beams=1,
            temperature=None,
            top_p=None,
            top_k=None,
            eos_token_id=end,
            pad_token_id=end,
        )[0, n_prompt:]
        text = tokenizer.decode(output, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        is_ended = len(output) > 0 and int(output[-1]) == end
        return Completion(
            text=text,
            finish="stop" if is_ended else "length",
            prompt_tokens=n_prompt,
            completion_tokens=len(output),
        )
