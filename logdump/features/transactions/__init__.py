"""TRANSACTIONS: the largest transactions of a trail, and whether a Replicat applies them."""
