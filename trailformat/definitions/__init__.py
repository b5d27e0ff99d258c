"""What a trail says of databases, tables and columns, and what a definitions file says of them: the layouts."""
