"""The judge CRIMSON: its card, and how its answers are counted.

Source: M. Baharoon et al., "CRIMSON" (2026) and the release `crimson-score` 0.2.0. Sums of weights are the
release's to the last digit. An answer is unread, and not a guess, where it lacks one of its four lists or
names a finding without an id: the release reads `{}` as a perfect report. Three marks of a hurried writer
are forgiven: text around the JSON object, a backslash that escapes nothing, a quotation mark inside a text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from scorer.judges.base import Completion, Decoding, JudgeCard, TemplateSource
from scorer.judges.reading import Reading, Status

__all__ = ["ATTRIBUTES", "CARD", "NUMBERS", "SIGNIFICANCE", "read"]

SIGNIFICANCE = {
    "urgent": 1.0,
    "actionable_not_urgent": 0.5,
    "not_actionable_not_urgent": 0.25,
    "benign_expected": 0.0,
}
_SEVERITY = {"significant": 0.5, "negligible": 0.0}
_UNKNOWN = 0.25
ATTRIBUTES = (
    "location",
    "severity",
    "descriptor",
    "measurement",
    "certainty",
    "unspecific",
    "overinterpretation",
    "temporal",
)
NUMBERS = (
    *("reference_weight", "correct_weight", "false_weight", "missing_weight"),
    *("reference_findings", "predicted_findings", "matched_findings", "false_findings", "missing_findings"),
    "attribute_errors",
    *(f"{name}_errors" for name in ATTRIBUTES),
)
"""Four sums of weights, then counts."""


def _list_of(item: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": item}


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_TEXT: dict[str, Any] = {"type": "string"}
_FINDING = _object(id=_TEXT, finding=_TEXT, clinical_significance={"enum": list(SIGNIFICANCE)})
_ATTRIBUTE_ERROR = _object(
    ref_id=_TEXT,
    pred_id=_TEXT,
    severity={"enum": list(_SEVERITY)},
    error_types=_list_of({"enum": list(ATTRIBUTES)}),
    explanation=_TEXT,
)
_SCHEMA = _object(
    reference_findings=_list_of(_FINDING),
    predicted_findings=_list_of(_FINDING),
    matched_findings=_list_of(_object(ref_id=_TEXT, pred_id=_TEXT)),
    errors=_object(
        false_findings=_list_of(_TEXT),
        missing_findings=_list_of(_TEXT),
        attribute_errors=_list_of(_ATTRIBUTE_ERROR),
    ),
)

CARD = JudgeCard(
    id="crimson",
    weights="rajpurkarlab/medgemma-4b-it-crimson",
    template=TemplateSource(
        package="crimson-score",
        version="0.2.0",
        archive="crimson_score-0.2.0-py3-none-any.whl",
        sha256="94d7277dc37c70b36c6563faf586385d6004c43b46277c1a1471411407569ce1",
        member="CRIMSON/prompt_parts.py",
        function="build_prompt",
        # The fine-tuned judge is asked without guidelines, as the release does for it.
        arguments={
            "include_significance_examples": False,
            "include_attribute_guidelines": False,
            "include_context_guidelines": False,
        },
        system_member="CRIMSON/generate_score.py",
        digest="f3e9796efaf39ecd09da7a4e327773f0b50af28b9ef75fd12e67b963c466c9b7",
        licence="MIT",
    ),
    max_words=0,
    decoding=Decoding(max_tokens=8192, context=16384, schema=_SCHEMA),
    dtype="bfloat16",
)


def read(completion: Completion) -> Reading:
    """Weighs one answer; `NUMBERS` in order."""
    try:
        return Reading(status=Status.READ, numbers=_weigh(_parse(completion.text)))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        status = Status.MALFORMED if completion.finish == "stop" else Status.CUT_OFF
        return Reading(status=status, numbers=(0.0,) * len(NUMBERS))


def _weigh(answer: Mapping[str, Any]) -> tuple[float, ...]:
    references, predictions = _findings(answer["reference_findings"]), _findings(answer["predicted_findings"])
    matched, errors = answer["matched_findings"], answer["errors"]
    false, missing = _ids(errors["false_findings"]), _ids(errors["missing_findings"])
    attribute_errors = errors["attribute_errors"]
    reference_weights, predicted_weights = dict(references), dict(predictions)  # a repeated id keeps its last

    penalties: dict[str, list[float]] = {}
    for error in attribute_errors:
        penalties.setdefault(error["ref_id"], []).append(_SEVERITY.get(error.get("severity", ""), _UNKNOWN))
    matched_ids = list(dict.fromkeys(pair["ref_id"] for pair in matched))
    missing_weight = sum(reference_weights.get(one, 0.0) for one in missing)
    reference_weight = sum(weight for _, weight in references)
    if not references:
        reference_weight = len(matched) + missing_weight
    correct = 0.0
    for one in matched_ids:
        weight, penalty = reference_weights.get(one, 0.0), sum(penalties.get(one, ()))
        correct += weight * (weight / (weight + penalty)) if penalty else weight
    return (
        *map(float, (reference_weight, correct)),
        float(sum(predicted_weights.get(one, 0.0) for one in false)),
        float(missing_weight),
        *map(float, (len(references), len(predictions), len(matched_ids), len(false), len(missing))),
        float(len(attribute_errors)),
        *(
            float(sum(name in error.get("error_types", ()) for error in attribute_errors))
            for name in ATTRIBUTES
        ),
    )


def _findings(items: Iterable[Mapping[str, Any]]) -> list[tuple[str, float]]:
    """(id, weight) of each finding; an unknown level of significance weighs a quarter."""
    return [(one["id"], SIGNIFICANCE.get(one.get("clinical_significance", ""), _UNKNOWN)) for one in items]


def _ids(items: Any) -> list[str]:
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise ValueError("not a list of ids")
    return items


_AFTER_STRING = re.compile(r"\s*(?:[,:\]}]|\Z)")
_STRAY_BACKSLASH = re.compile(r'\\(?!["\\/bfnrtu])')


def _parse(text: str) -> Mapping[str, Any]:
    """The answer's one JSON object; of a key that stands twice the first counts."""
    text = text[text.index("{") :]
    error: Exception = ValueError("no object")
    for repair in (lambda t: t, lambda t: _STRAY_BACKSLASH.sub(r"\\\\", t), _escape_inner_quotes):
        text = repair(text)
        try:
            answer, _ = json.JSONDecoder(object_pairs_hook=_first_of_each).raw_decode(text)
            return answer  # type: ignore[no-any-return]
        except ValueError as failure:
            error = failure
    raise error


def _first_of_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return dict(reversed(pairs))


def _escape_inner_quotes(text: str) -> str:
    """Escapes a quotation mark inside a string: one that no comma, colon, bracket or end follows."""
    out: list[str] = []
    is_inside, is_escaped = False, False
    for position, character in enumerate(text):
        if character == '"' and not is_escaped:
            if is_inside and not _AFTER_STRING.match(text, position + 1):
                out.append("\\")
            else:
                is_inside = not is_inside
        is_escaped = character == "\\" and not is_escaped
        out.append(character)
    return "".join(out)
