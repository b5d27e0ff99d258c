"""DIFF: the differences of two trails, aligned by transaction."""
