"""Links, arXiv ids and DOIs: strict patterns, so that nothing else can travel in them."""

from __future__ import annotations

import re

from scorer.guard import limits

__all__ = ["doi", "https_link", "paper", "paper_url"]

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_LINK = re.compile(
    rf"https://(?P<host>(?:{_LABEL}\.)+[A-Za-z][A-Za-z0-9-]{{0,61}}[A-Za-z0-9])(?::443)?"
    r"(?:/[A-Za-z0-9._~!$&()*+,;=:@%/-]*)?(?:\?[A-Za-z0-9._~!$&()*+,;=:@%/?-]*)?(?:#[A-Za-z0-9._~!$&()*+,;=:@%/?-]*)?"
)
_LOCAL = re.compile(
    r"(?i)(?:^|\.)(?:local|localhost|internal|intranet|lan|home|corp|test|invalid|example|onion)$"
)
_NEW_ARXIV = re.compile(  # four digits after the dot until 2014, five since 2015
    r"(?:(?:0[7-9]|1[0-4])(?:0[1-9]|1[0-2])\.[0-9]{4}|(?:1[5-9]|[2-9][0-9])(?:0[1-9]|1[0-2])\.[0-9]{5})(?:v[1-9][0-9]?)?"
)
_OLD_ARXIV = re.compile(r"[a-z]{2,10}(?:-[a-z]{2,4})?(?:\.[A-Z]{2})?/[0-9]{7}(?:v[1-9][0-9]?)?")
_DOI = re.compile(r"10\.[0-9]{4,9}/[A-Za-z0-9._;()/:-]{1,200}")


def https_link(text: str) -> str:
    """The reason why a text is no link that may stand on a page; "" when it may."""
    if len(text) > limits.LINK_CHARACTERS:
        return f"longer than {limits.LINK_CHARACTERS} characters"
    if not text.startswith("https://"):
        return "only https:// links are accepted"
    match = _LINK.fullmatch(text)
    if not match:
        return "is not a plain https link (no blanks, quotes, brackets, user names or numeric hosts)"
    if _LOCAL.search(match["host"]):
        return "points to a name that is not public"
    return ""


def doi(text: str) -> bool:
    """Whether a text is a DOI and nothing more."""
    return bool(_DOI.fullmatch(text))


def paper(text: str) -> str:
    """A paper's identity as `arXiv:2411.15122` or `doi:10.1000/xyz`; "" when the text is neither.

    Accepts the bare id, with its prefix, or as a link to arxiv.org or doi.org.
    """
    bare = re.sub(r"(?i)^(?:arxiv:\s?|https://arxiv\.org/(?:abs|pdf)/)", "", text).removesuffix(".pdf")
    if _NEW_ARXIV.fullmatch(bare) or _OLD_ARXIV.fullmatch(bare):
        return f"arXiv:{bare}"
    bare = re.sub(r"(?i)^(?:doi:\s?|https://(?:dx\.)?doi\.org/)", "", text)
    return f"doi:{bare}" if doi(bare) else ""


def paper_url(identity: str) -> str:
    """The link of a paper's identity as `paper` gives it."""
    kind, _, bare = identity.partition(":")
    return f"https://arxiv.org/abs/{bare}" if kind == "arXiv" else f"https://doi.org/{bare}"
