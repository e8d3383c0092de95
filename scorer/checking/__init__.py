"""The gate: what `rexrank check` says about a submission, on disk or in a pull request."""

from __future__ import annotations

from scorer.checking.folder import DiskFolder, Folder
from scorer.checking.submission import Checked, Surroundings, check_predictions, check_submission

__all__ = ["Checked", "DiskFolder", "Folder", "Surroundings", "check_predictions", "check_submission"]
