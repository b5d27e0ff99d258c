"""RECOVERY: the traces of restarts in a trail, and the transactions that a Replicat applies."""
