"""Checks of published figures, one module a kind; each takes all editions and gives findings."""
