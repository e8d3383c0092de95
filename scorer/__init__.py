"""Submission to record: everything between a contributor's files and a page, without the page."""

from scorer._version import __version__

__all__ = ["__version__"]
