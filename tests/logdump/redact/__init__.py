"""REDACT: nothing of the source is left in a copy that answers as the source does."""
