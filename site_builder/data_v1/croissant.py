"""Croissant metadata of the tables under `/data/v1/` (MLCommons Croissant 1.0), so that loaders find and read them.

Source: https://docs.mlcommons.org/croissant/docs/croissant-spec.html
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scorer.citation_formats import bibtex
from scorer.citing import Publisher, cite_snapshot
from scorer.snapshots.snapshot import CELL_COLUMNS
from scorer.store import digest
from site_builder.data_v1.tables import COLUMNS

__all__ = ["CONTEXT", "LICENCE_URL", "croissant"]

LICENCE_URL = "https://creativecommons.org/licenses/by/4.0/"

CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}

_FLOATS = frozenset({"value", "low", "high"})
_INTEGERS = frozenset({"n", "n_empty", "n_studies", "decimals", "line"})
_FLAGS = frozenset({"is_probe", "is_submitted", "is_per_study", "is_ranked", "on_board"})
_WORDS = {
    "boards": "every number of every board, probes and missing cells included",
    "models": "what is known of every model",
    "datasets": "what every dataset is and who may see what",
    "metrics": "what every metric is: range, direction, version",
    "snapshots": "frozen snapshots",
    "published": "figures that others published, as reported",
}


def croissant(
    publisher: Publisher, tables: Mapping[str, bytes], *, date: str, version: str, snapshot_date: str
) -> dict[str, Any]:
    """The document.

    Args:
        tables: name -> CSV, each published as `<name>.csv` beside the document. date: of the newest content.
        version: newest snapshot, for the citation; "" when there is none.
    """
    here = f"{publisher.url}data/v1/" if publisher.url else ""
    cited = cite_snapshot(publisher, version=version, date=snapshot_date)
    document = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": "rexrank-boards",
        "description": f"{publisher.title}: numbers with intervals, ranks, signatures; tables as CSV.",
        "url": publisher.url or "https://schema.org/Dataset",
        "license": LICENCE_URL,
        "creator": [{"@type": "sc:Organization", "name": name} for name in publisher.authors],
        "datePublished": date or None,
        "dateModified": date or None,
        "version": f"{version}.0" if version else "0.0.0",
        "isLiveDataset": True,
        "keywords": ["radiology", "report generation", "leaderboard", "evaluation"],
        "citeAs": bibtex(cited) if version else None,
        "distribution": [_file(name, data, here) for name, data in tables.items()],
        "recordSet": [
            _records(name, _columns(name)) for name, data in tables.items() if data.count(b"\n") > 1
        ],
    }
    return {key: value for key, value in document.items() if value is not None}


def _columns(name: str) -> Sequence[str]:
    return CELL_COLUMNS if name == "boards" else COLUMNS[name]


def _file(name: str, data: bytes, here: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": f"{name}.csv",
        "name": f"{name}.csv",
        "description": _WORDS[name],
        "contentUrl": f"{here}{name}.csv",
        "contentSize": f"{len(data)} B",
        "encodingFormat": "text/csv",
        "sha256": digest(data),
    }


def _records(name: str, columns: Sequence[str]) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": _WORDS[name],
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{name}/{column}",
                "name": column,
                "description": column.replace("_", " "),
                "dataType": _type(name, column),
                "source": {"fileObject": {"@id": f"{name}.csv"}, "extract": {"column": column}},
            }
            for column in columns
        ],
    }


def _type(table: str, column: str) -> str:
    if column in _FLOATS:
        return "sc:Float"
    if column in _INTEGERS:
        return "sc:Integer"
    return "sc:Boolean" if column in _FLAGS else "sc:Text"
