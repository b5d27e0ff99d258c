"""A trail over time."""
