"""Parameter files of GoldenGate: their language, and the tree of their statements."""
