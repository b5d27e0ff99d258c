"""Bounded Recovery: what is open at its checkpoints, and how far back a restart reads."""
