"""Plots as inline SVG, each with its numbers as a table and, on request, as a plotly figure."""
