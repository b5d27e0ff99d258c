"""RECOVERY: what restarts have left in a trail, and what of it a Replicat applies."""
