"""How Logdump writes things: times, wildcards, EBCDIC, hex dumps, escapes. Knows no state."""
