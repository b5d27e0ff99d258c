"""Transactions over files: where each begins and ends, how it ended, and whether a Replicat applies it."""
