"""Frozen sets of records: made, proved, compared, explained."""
