"""CHECK: damage in trail files."""
