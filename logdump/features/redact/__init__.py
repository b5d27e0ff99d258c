"""REDACT: a copy of a trail with the same structure and other values, names and texts."""
