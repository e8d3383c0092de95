"""View models: formatted and ordered, with nothing left for a template to decide."""
