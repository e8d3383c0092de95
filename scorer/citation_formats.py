"""A citation as BibTeX, RIS, CSL-JSON, CFF and plain text.

Whatever a submitter wrote can stand in a citation, so no format lets it out of its field: BibTeX braces stay
balanced and no macro runs, RIS stays one line a field, CSL-JSON carries no markup, CFF is quoted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from scorer.citing import Citation, is_doi

__all__ = ["FORMATS", "bibtex", "cff", "csl_item", "csl_json", "plain", "ris"]

_BIBTEX = str.maketrans(
    {
        "\\": r"{\textbackslash}",
        "{": r"{\textbraceleft}",
        "}": r"{\textbraceright}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "^": r"{\textasciicircum}",
        "~": r"{\textasciitilde}",
        "<": r"{\textless}",
        ">": r"{\textgreater}",
        "|": r"{\textbar}",
        '"': "{''}",
    }
)


def _one_line(text: str) -> str:
    """Printable characters with single blanks: control and format characters become blanks."""
    shown = text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)
    return " ".join(shown.split())


def _tex(text: str) -> str:
    # BibTeX counts braces whether or not a backslash stands in front, hence macros for them.
    return _one_line(text).translate(_BIBTEX)


def bibtex(citation: Citation) -> str:
    """A `@misc` entry that every BibTeX and biblatex style prints; ends with a newline."""
    address = _address(citation.url)
    fields = {
        "title": f"{{{_tex(citation.title)}}}",
        "author": " and ".join(
            _tex(author) if _is_person(author) else f"{{{_tex(author)}}}" for author in citation.authors
        ),
        "year": citation.date[:4],
        "date": citation.date,
        "version": _tex(citation.version),
        "doi": citation.doi if is_doi(citation.doi) else "",
        "howpublished": f"\\url{{{address}}}" if address else "",
        "url": address,
        "note": _tex(_note(citation)),
    }
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    return f"@misc{{{citation.key},\n" + ",\n".join(lines) + "\n}\n"


def _is_person(author: str) -> bool:
    """Whether a name is "Family, Given"; a group that has " and " in its name must not be split at it."""
    return ", " in author and " and " not in author


def ris(citation: Citation) -> str:
    """A RIS record of type DATA, CRLF line ends as the format asks."""
    pairs = [("TY", "DATA"), ("ID", citation.key), ("TI", citation.title)]
    pairs += [("AU", author) for author in citation.authors]
    pairs += [
        ("PB", citation.publisher),
        ("PY", citation.date[:4]),
        ("DA", citation.date.replace("-", "/")),
        ("ET", citation.version),
        ("DO", citation.doi if is_doi(citation.doi) else ""),
        ("UR", _address(citation.url)),
        ("N1", _note(citation)),
    ]
    lines = [f"{tag}  - {_one_line(value)}" for tag, value in pairs if value]
    return "\r\n".join([*lines, "ER  - ", ""])


def csl_item(citation: Citation) -> dict[str, Any]:
    """A CSL-JSON item of type `dataset`."""
    item: dict[str, Any] = {
        "id": citation.key,
        "type": "dataset",
        "title": _unmarked(citation.title),
        "author": [_csl_author(author) for author in citation.authors],
        "publisher": _unmarked(citation.publisher),
        "URL": _address(citation.url),
        "note": _unmarked(_note(citation)),
    }
    if citation.date:
        item["issued"] = {"date-parts": [[int(part) for part in citation.date.split("-")]]}
    if citation.version:
        item["version"] = citation.version
    if is_doi(citation.doi):
        item["DOI"] = citation.doi
    return {key: value for key, value in item.items() if value}


def csl_json(citation: Citation) -> str:
    """A CSL-JSON list with one item."""
    return json.dumps([csl_item(citation)], ensure_ascii=False, indent=2) + "\n"


def cff(citation: Citation, *, commit: str = "") -> str:
    """A CITATION.cff (1.2.0) of type dataset; every value is a quoted scalar, valid as YAML and as JSON."""
    fields = {
        "cff-version": "1.2.0",
        "message": "If you use these numbers, please cite the snapshot they come from.",
        "type": "dataset",
        "title": _one_line(citation.title),
        "version": citation.version,
        "date-released": citation.date,
        "license": citation.licence,
        "url": _address(citation.url),
        "commit": commit,
        "doi": citation.doi if is_doi(citation.doi) else "",
    }
    lines = [f"{key}: {_scalar(value)}" for key, value in fields.items() if value]
    lines.append("authors:")
    for author in citation.authors:
        first, *more = (f"{key}: {_scalar(value)}" for key, value in _cff_author(author).items())
        lines += [f"  - {first}", *(f"    {line}" for line in more)]
    return "\n".join([*lines, ""])


def _scalar(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def plain(citation: Citation) -> str:
    """One sentence for a text: authors, year, title, address."""
    where = f"https://doi.org/{citation.doi}" if is_doi(citation.doi) else _address(citation.url)
    year = f" ({citation.date[:4]})" if citation.date else ""
    sentence = f"{'; '.join(citation.authors)}{year}. {citation.title}. {where}".strip()
    return _one_line(f"{sentence} [{citation.note}]" if citation.note else sentence) + "\n"


FORMATS: Mapping[str, Callable[[Citation], str]] = {
    "bibtex": bibtex,
    "ris": ris,
    "csl": csl_json,
    "cff": cff,
    "text": plain,
}


def _note(citation: Citation) -> str:
    return "; ".join(part for part in (citation.note, citation.licence) if part)


def _address(url: str) -> str:
    """The address, if it is absolute and nothing in it can end a field; else "", and no format shows one."""
    return url if re.fullmatch(r"https://[A-Za-z0-9:/?#@!$&'()*+,;=._~%-]+", url) else ""


def _unmarked(text: str) -> str:
    """Text without angle brackets: CSL processors read <i> and the like as formatting."""
    return _one_line(text).replace("<", "‹").replace(">", "›")


def _csl_author(author: str) -> dict[str, str]:
    family, comma, given = _unmarked(author).partition(", ")
    return {"family": family, "given": given} if comma else {"literal": family}


def _cff_author(author: str) -> dict[str, str]:
    family, comma, given = _one_line(author).partition(", ")
    return {"family-names": family, "given-names": given} if comma else {"name": family}
