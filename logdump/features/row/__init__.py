"""ROW: all changes of one row, through updates of its key."""
