"""What each message of the catalogue of EXPLAIN names, in the order in which it is printed in English.

Parts: ``file``, ``trail``, ``seqno`` and ``rba`` are a place; ``csn`` and ``xid`` a transaction; ``other_file`` is a
second file. ``seqno*`` and ``rba*`` are a place that is no longer used. ``checkpoint`` and ``redo`` are no place of a
trail.
"""

from __future__ import annotations

_PARTS = """
02191: number file rba words
01028: words file rba
01184: number number file seqno words rba
01733: number file number
02186: rba number seqno
02188: words file rba
05797: number file rba table column
05798: words number file rba table column
05799: number trail seqno rba table
01406 01045 01048 01052 01055 01046 01496 01069: file rba
01056: file rba csn
01049: number file rba
01031: words file rba
06591: file rba
00905 01376: seqno rba
01389: file rba number
01091 01454: file number words
01519: file other_file
02771 05500: file words number
02598 02779: file number number
01416: file number number
01411: file number other_file number
01478 06586: trail number
06588 06600: trail
02881: seqno trail
03150: trail seqno
02890 02945: group
02640 02642: trail table words
02641: table words trail
01003: rba seqno
01014 01016: time time seqno rba
01370: xid seqno rba
06084: xid csn number
01372 01373 05509 15450: csn
01374: seqno rba xid csn number
01872: xid csn number
05508 05510: csn number
02980: file seqno rba
02981: file csn xid
02982 02984: file csn xid number
02983: csn xid number
03194: file number csn
06589: trail seqno* rba* seqno rba
30200 03237 30577: seqno rba seqno* rba*
02786 02787 02788: seqno* rba* seqno rba
03133: group
03138 03212: csn csn
01438: file seqno rba seqno rba
01465: number rba file
01466: number xid csn rba file
01469: rba file
01470: rba file xid csn
30575: seqno rba csn xid
04036: number number
01030 01880 01881: file
01044: trail group trail group
01020: seqno rba number
01024: number rba seqno table number
02544: words seqno rba
01362: table seqno rba
01363: words table seqno rba
02501: number table column seqno rba
26001: table seqno rba
01396 01409: table rba file table
15051 30088: java
02757: file table
02761: words file
30090 30114: table column
30207: column csn xid table
40007: column table csn xid
25275: number table csn
25185: number number xid words
30205 40001 40002: number column table words number
27999: number column table words number
02421 01965 02446 02498 02500: checkpoint words number
00438 02497 03109 02979: words
02606 02607 02608 02609 02610: table words sql
06016: words
01487: words number csn csn number
00497 01489 01738 01631 01635 10019 30469 30471 02937 30358 30355 30360: words
02333: reading
00446 00447: redo
00987: words
02171: number number
01088: number
01072: words number number
01828: number words
02246: number number
06221 02284: number
30476: table column words number
01223 01224: number words
01232 01444: words
06004: number number
01296 01151 02160: table table
01154: number table table sql
01004: table number words sql
01431 01168 01169 06439 06440 02767 02913 02925 06395 02555 02595 00436 00437 06384: table
01000 01002: words number words number
00869 00868: words sql
01498 01693: number words
00912 00915 00916 00917 01038 01041 10550 02107 02112: table column
00918 03178 02565 02566 02567 02568 02569: column
01008 00534: number
01172: number
01922: column table
01334: table table column words
01298: words
04043 02326: column words words
02303 06511 06510: column column
02795 02792 02799: words table number
15053: words
01161: index table index
01163: length column table length
01110: number column number number
02752 02751: table words
02650: words table
03517 03518 03537 03532 03535: words column words
03533: words column words number
03014 03060 03065: column column words
03028: table words
06481 03010: words words
03525: words
01507 05004: number table column words number number
02570 02571 02572 02573: column number number
02697 02698 02700: number number
00876: number number table
00487 10452: words words table
00516 00518: words words
00517: words
00519: words sql
00495: number words words number
00493 00501: number words
00521 00523 00524 00525 00526: words number
00529 00401 30076: table
01562: words words
02798: words
02735 26004 26006 26007 10548 14036: table
10523: table table table
06114: words checkpoint
06138: number words
06400 06443 00242 00243 08526 30468: words
01586 01587 30515 30516 30573: words checkpoint number words
00664 00665: number words sql
02140 01167 01520 01476 26027 01375 01051 01137 00889 00890 00919 01170 06068 03510 00490 00528 00078 06129: words
01668 00001: words
"""

PARTS = {
    f"OGG-{code}": parts.split()
    for codes, parts in (line.split(": ") for line in _PARTS.strip().splitlines())
    for code in codes.split()
}
