"""The commands, one module per topic here or in a feature; each lists its own in ``COMMANDS``."""

from __future__ import annotations

from logdump.language.command import Registry

_HOMES = (
    ("files", "OPEN FROM LOGTRAIL NEXTTRAIL NT"),
    ("settings", "GHDR DETAIL DET USERTOKEN GGSTOKEN HEADERTOKEN FILEHEADER RECLEN TIMEOFFSET RELEASE"),
    ("settings", "ASCIIHEADER EBCDICHEADER ASCIIDATA EBCDICDATA ASCIIDUMP EBCDICDUMP"),
    ("settings", "ACROSS"),
    ("position", "NEXT N RECORD REC SKIP POSITION POS BEGIN"),
    (
        "scan",
        (
            "SCANFORHEADER SFH SCANFORTYPE SFT SCANFORRBA SFR SCANFORTIME SFTS SCANFORENDTRANS SFET "
            "SCANFORNEXTTRANS SFNT SCANFORMETADATA SFMD"
        ),
    ),
    ("position", "MARK"),
    ("find", "FIND"),
    ("transaction", "TRANSACTION SAMETABLE"),
    ("features.safe", "SAFE"),
    ("features.list", "LIST FOLLOW"),
    ("features.row", "ROW"),
    ("features.transactions", "TRANSACTIONS"),
    ("features.count", "COUNT"),
    ("features.check", "CHECK"),
    ("features.doctor", "DOCTOR"),
    ("features.watch", "WATCH"),
    ("features.heartbeat", "HEARTBEAT"),
    ("features.recovery", "RECOVERY"),
    ("features.diff", "DIFF"),
    ("features.repair", "REPAIR"),
    ("features.redact", "REDACT"),
    ("features.bounded_recovery", "BR"),
    ("features.compression", "COMPRESS"),
    ("features.sql", "SQL"),
    ("values", "METADATA COLUMNDATA"),
    ("values", "VALUES SOURCEDEFS"),
    ("features.save", "SAVE"),
    ("features.redo", "REDO UNDO"),
    ("features.report", "REPORT"),
    ("values", "LOB"),
    ("features.export", "EXPORT"),
    ("apply", "APPLY"),
    ("publish", "PUBLISH"),
    ("features.parameters", "PARAMS"),
    ("features.ddl", "DDL"),
    ("features.explain", "EXPLAIN"),
    (
        "settings",
        "NOTIFY NOTIFYINTERVAL SCANSCROLLING TRANSHIST TRANSRECLIMIT TRANSBYTELIMIT HASHSTATS HASHCLEAR HASHRESET",
    ),
    ("filter", "FILTER"),
    ("convert", "DUMP"),
    ("convert", "FLOAT CTIME COMPUTETIMESTAMP INTERPRETTIMESTAMP INTERPRETINTERVAL ESBLOCK"),
    ("show", "ENV"),
    ("show", "SHOW SH SHO TIME"),
    ("files", "CD VOLUME VOL V FILES FI DIR FILEINFO"),
    ("show", "BIO BULKIOSTATS TRAILFORMAT SAVEFILECOMMENT PRINTMXCOLUMNINFO"),
    ("scripts", "LOG OUT WRITELOG"),
    ("settings", "ONERROR"),
    ("scripts", "OBEY O SOURCE"),
    ("programs", "X"),
    ("settings", "FORMAT"),
    ("programs", "ENGINE"),
    ("programs", "TUI"),
    ("scripts", "HISTORY HIST FC EXIT QUIT"),
    ("filter", "DECRYPT ENCRYPT"),
    ("settings", "DEBUG"),
    (
        "settings",
        (
            "ARGETNONDATACHANGES ARSTOPNONDATACHANGES CALCTLFKEY DATAFILE WRITEREC GGSAUDITREAD TMFBEFOREIMAGE "
            "TMFGETRECADDR NOTMFGETRECADDR TMFIGNORERECCOUNT"
        ),
    ),
    ("help", "HELP ?"),
)
"""Names and aliases of the commands of each module, in the order of HELP; a module is loaded at first use."""

_ELSEWHERE = {
    "GOTO": "POSITION goes to a place.",
    "H": "Did you mean HELP or HISTORY?",
    "SEEK": "POSITION goes to a place.",
    "VERSION": "ENV shows the settings, logdump --version the version.",
    "LS": "FILES lists files.",
    "PWD": "CD shows the current directory.",
    "TAIL": "FOLLOW shows records as they come.",
}
"""Words that are commands in other programs, with a hint at the command that does the same here."""


def _module(home: str) -> str:
    return f"logdump.{home}.command" if home.startswith("features.") else f"{__name__}.{home}"


REGISTRY = Registry([(_module(home), words.split()) for home, words in _HOMES], _ELSEWHERE, "EXPLAIN")
"""All commands of a session."""
