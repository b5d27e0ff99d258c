"""LOGCSN, TRANID and other tokens of a batch's rows."""
