"""Bytes to numbers, texts and tokens and back; independent of records."""
