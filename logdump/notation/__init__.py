"""Logdump's notation: times, wildcards, EBCDIC, hex dumps, escapes. It has no state."""
