"""How commands find records and show them: one by one, or many at once."""
