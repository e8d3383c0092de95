"""The one place where untrusted files are read.

Every reader of a contributor's file goes through here: YAML cards, JSON Lines and gzip, JSON, CSV, and the
names, links and texts inside them. Nothing here executes, writes, downloads or follows a link. Each reader
adds to a `Problems` collector instead of stopping at the first fault, and never lets an input decide how
much memory or time it takes: all caps stand in `scorer.guard.limits`.
"""

from __future__ import annotations

from scorer.guard.csv_text import read_table
from scorer.guard.files import Text, decode, read_bytes, unpack
from scorer.guard.json_text import read_json, read_lines
from scorer.guard.links import doi, https_link, paper
from scorer.guard.names import check_id, check_name, check_slug, skeleton
from scorer.guard.problems import Problems, nearest
from scorer.guard.yaml_text import Card, read_card

__all__ = [
    "Card",
    "Problems",
    "Text",
    "check_id",
    "check_name",
    "check_slug",
    "decode",
    "doi",
    "https_link",
    "nearest",
    "paper",
    "read_bytes",
    "read_card",
    "read_json",
    "read_lines",
    "read_table",
    "skeleton",
    "unpack",
]
