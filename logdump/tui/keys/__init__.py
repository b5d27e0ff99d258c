"""The keys, and what the prompt says of a line: whether it would run, and how it may go on."""
