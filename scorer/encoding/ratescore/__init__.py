"""The three steps of RaTEScore that read a text: its sentences, the entities in a sentence, an entity's vector.

Source: Zhao et al. 2024; ratescore 0.6.0, whose results each step gives.
"""

from __future__ import annotations

from scorer.encoding.ratescore.entities import ENTITIES, unpack_vector
from scorer.encoding.ratescore.sentences import SENTENCES, missing_packages, unpack_sentences
from scorer.encoding.ratescore.tagger import TAGGER, unpack_entities

__all__ = [
    "ENTITIES",
    "SENTENCES",
    "TAGGER",
    "missing_packages",
    "unpack_entities",
    "unpack_sentences",
    "unpack_vector",
]
