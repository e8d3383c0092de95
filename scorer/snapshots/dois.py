"""DOIs of snapshots: known only after a release, so they stand beside the frozen folders, not in them.

`results/snapshots/doi.yaml` maps versions to bare DOIs:

    "2026.1": 10.5281/zenodo.1234567
"""

from __future__ import annotations

from pathlib import Path

import yaml

from scorer.citing import is_doi
from scorer.errors import InputError, Problem, printable
from scorer.snapshots.version import Version

__all__ = ["read_dois"]


def read_dois(results: Path) -> dict[str, str]:
    """DOI by version; empty when none is known yet.

    Raises:
        InputError: every entry that is not a version and a DOI.
    """
    path = results / "snapshots" / "doi.yaml"
    if not path.is_file():
        return {}
    shown = f"{results.name}/snapshots/doi.yaml"
    try:
        # The base loader leaves 2026.10 the text that was written; as a number it would be 2026.1.
        document = yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError([Problem(path=shown, code="broken-yaml", message=type(error).__name__)]) from None
    if not isinstance(document, dict):
        said = "one mapping of versions to DOIs is expected"
        raise InputError([Problem(path=shown, code="wrong-type", message=said)])
    problems = []
    for version, doi in document.items():
        if not Version.is_version(str(version)):
            message = f"{printable(str(version))!r} is not a version"
            problems.append(Problem(path=shown, code="snapshot-version", message=message))
        elif not isinstance(doi, str) or not is_doi(doi):
            hint = "write it bare: 10.5281/zenodo.1234567"
            problems.append(Problem(path=shown, field=version, code="doi", message="not a DOI", hint=hint))
    if problems:
        raise InputError(problems)
    return dict(document)
