"""Parameter files of GoldenGate: their language, and the tree of what they say."""
