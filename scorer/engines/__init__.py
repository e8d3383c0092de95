"""Engines that encode on more than one GPU or machine. The engine of `scorer.encoding` is the default and imports
none of these.
"""
