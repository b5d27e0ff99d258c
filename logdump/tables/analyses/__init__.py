"""Analyses of whole trails, as rows: each is a module here and a line in ``table``."""
