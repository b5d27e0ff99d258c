"""Transactions over files: their begin and end, the way they ended, and whether a Replicat applies them."""
