"""Bytes to numbers, texts and tokens and back; nothing here knows a record."""
