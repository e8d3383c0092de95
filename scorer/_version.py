"""The version of the scorer, the site builder and the command."""

__version__ = "0.1.0"
