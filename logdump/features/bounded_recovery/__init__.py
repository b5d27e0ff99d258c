"""Bounded Recovery: the transactions open at its checkpoints, and how far back a restart reads."""
