"""A record: its framing, its header, its tokens, and the parts of its data."""
