"""The results of DOCTOR as JSON."""

from __future__ import annotations

from typing import Any

from logdump.display.json_fields import fields
from logdump.display.json_shape import PLACE, Shape, member, time_at
from logdump.features.doctor.model import (
    DoctorShown,
    Finding,
    Growth,
    KeyLack,
    NagiosShown,
    NewFindings,
    OpImages,
    TableImages,
    UnnamedToken,
)
from trailformat import io_type_name

FINDING = Shape("finding", "Something that DOCTOR has found.", fields(Finding))
_TYPES = "How many of each type, by the name that Logdump prints"


def _types(item: Any) -> dict[str, int]:
    return {io_type_name(io_type): records for io_type, records in sorted(item[1].types.items())}


DOCTOR_TABLE = Shape(
    "doctor_table",
    "A table with rows in the trail.",
    (
        member("table", "string", "Its name", "0"),
        member("records", "number", "Its rows", "1.records"),
        member("data_bytes", "number", "Their data, with that of its definitions", "1.data_bytes"),
        member("types", "object", _TYPES, _types),
    ),
)
DOCTOR_FILE = Shape(
    "doctor_file",
    "A file of the trail.",
    (
        member("file", "string", "Path of the file", "path"),
        member("size", "number", "Bytes"),
        member("version", "number or null", "Compatibility of its header"),
        member("first_csn", "string or null", "FirstCSN of its header", lambda facts: facts.text("FirstCSN")),
        member("last_csn", "string or null", "LastCSN of its header", lambda facts: facts.text("LastCSN")),
        member("last_time", "string or null", "IO Time of its last record, UTC", time_at("last_time")),
    ),
)
DOCTOR_TRANSACTION = Shape(
    "doctor_transaction",
    "One of the largest transactions.",
    (
        member("begins", "place or null", "Its first record found", PLACE.one("extent.first")),
        member("records", "number", "Its records"),
        member("data_bytes", "number", "Their data", "extent.data_size"),
        member("time", "string or null", "IO Time of its first record, UTC", time_at("extent.first_moment.time")),
        member("csn", "string or null", "LOGCSN", "extent.transaction.csn"),
        member("xid", "string or null", "TRANID", "extent.transaction.xid"),
        member("effective", "boolean", "Whether a Replicat applies it", "is_effective"),
    ),
)


def _lag(lag: Any) -> float | None:
    total = lag.last.lags.total_lag
    return total / 1e6 if total is not None else None


DOCTOR_LAG = Shape(
    "doctor_lag",
    "The lag of a path, by its newest heartbeat.",
    (
        member("source", "string or null", "Source database"),
        member("target", "string or null", "Target database"),
        member("total_lag_seconds", "number or null", "Its lag", _lag),
        member("age_seconds", "number", "The age of the newest beat", lambda lag: lag.age / 1e6),
        member("missing", "number", "Beats that are missing"),
    ),
)


def _source(group: str, name: str) -> Any:
    def get(shown: DoctorShown) -> Any:
        headers = [facts.header for facts in shown.headers if facts.header is not None]
        return headers[-1].get(group, name) if headers else None

    return get


def _vendor(shown: DoctorShown) -> str | None:
    headers = [facts.header for facts in shown.headers if facts.header is not None]
    return headers[-1].vendor if headers else None


OP_IMAGES = Shape("op_images", "The images of one operation of a table.", fields(OpImages))
KEY_LACK = Shape(
    "key_lack", "Records without all columns of the key: supplemental logging is not complete.", fields(KeyLack)
)
TABLE_IMAGES = Shape(
    "table_images",
    "The columns that the images of a table hold.",
    fields(TableImages, OpImages=OP_IMAGES, KeyLack=KEY_LACK),
)
UNNAMED_TOKEN = Shape("unnamed_token", "A token of a file header that no source names.", fields(UnnamedToken))
DOCTOR = Shape(
    "doctor",
    "DOCTOR: the state of a trail.",
    (
        *fields(DoctorShown, "title"),
        member("database", "string or null", "Source database, by the newest header", _vendor),
        member("database_name", "string or null", "Its name", _source("DatabaseInfo", "Name")),
        member(
            "database_unique_name",
            "string or null",
            "DbUniqueName, from 21c on",
            _source("DatabaseInfo", "DbUniqueName"),
        ),
        member("host", "string or null", "The machine of the writer", _source("MachineInfo", "Nodename")),
        member("writer", "string or null", "The process that wrote the trail", _source("ProducerInfo", "Name")),
        member("encrypted", "list of string", "Files whose record data looks encrypted", "check?.encrypted"),
        member(
            "unnamed_tokens",
            "list of unnamed_token",
            "Of an encrypted file, the tokens of its header whose meaning is not known",
            UNNAMED_TOKEN.each("unnamed_tokens"),
        ),
        *fields(Growth, of="growth"),
        member("bytes_per_hour", "number or null", "Growth on average", "growth.bytes_per_hour"),
        member("hours_left", "number or null", "Hours until the disk is full at this rate", "growth.hours_left"),
        member(
            "keep_from", "string or null", "First file that a reader at the last recovery point needs", "keep?.first"
        ),
        member("not_needed", "list of string", "Files before that", "keep?.free"),
        *fields(DoctorShown, "findings lags", Finding=FINDING, PathLag=DOCTOR_LAG),
        member("tables", "list of doctor_table", "The largest first", DOCTOR_TABLE.each("tables")),
        *fields(
            DoctorShown,
            "images transactions headers",
            TableImages=TABLE_IMAGES,
            TransactionListed=DOCTOR_TRANSACTION,
            FileFacts=DOCTOR_FILE,
        ),
    ),
    DoctorShown,
)
NEW_FINDINGS = Shape(
    "new_problems",
    "DOCTOR SINCE: the problems of a trail that are new.",
    fields(NewFindings, Finding=FINDING),
    NewFindings,
)
NAGIOS = Shape(
    "nagios",
    "DOCTOR NAGIOS: the state of a trail for Nagios.",
    (
        member("trail", "string", "Its name, as it was given", "doctor.title"),
        member("status", "number", "0 ok, 1 warning, 2 damage", lambda nagios: int(nagios.status)),
        member("findings", "list of finding", "The heaviest first", FINDING.each("doctor.findings")),
    ),
    NagiosShown,
)
