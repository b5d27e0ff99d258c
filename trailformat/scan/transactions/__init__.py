"""The transactions of a batch's rows."""
