"""Micro-batches of a trail that grows."""
