"""Search and display of records by commands: one by one, or many at once."""
