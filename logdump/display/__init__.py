"""Events to text, one module per kind of thing shown."""
