"""Rendering of events as text, JSON and SQL, one module per kind of output."""
