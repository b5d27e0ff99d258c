"""Logdump's notation: times, wildcards, EBCDIC, hex dumps, escapes. It holds no state."""
