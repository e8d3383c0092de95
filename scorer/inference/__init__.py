"""What the numbers can and cannot say: intervals, ranks, paired comparisons, agreement, subgroups.

Everything here is a pure function of per-study terms, of totals or of plain values: no file, no clock, no
global random state. Equal arguments give equal bytes on every machine.
"""
