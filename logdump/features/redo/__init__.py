"""REDO and UNDO: the SQL that repeats changes, or takes them back."""
