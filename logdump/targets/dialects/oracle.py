"""The dialect of Oracle."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from logdump.targets.dialects.dialect import DatabaseDialect, driver_of, family_of, schema_and_table

if TYPE_CHECKING:
    import pyarrow as pa


class OracleDialect(DatabaseDialect):
    """Oracle 18 and later: the stage is a private temporary table."""

    longest_name: ClassVar[int | None] = 128
    checks_at_commit: ClassVar[bool] = True
    number: ClassVar[str | None] = "NUMBER"
    note_type: ClassVar[str] = "VARCHAR2(1000)"
    types: ClassVar[Mapping[str, str]] = {
        "integer": "NUMBER(19)",
        "decimal": "NUMBER",
        "float": "BINARY_DOUBLE",
        "text": "CLOB",
        "binary": "BLOB",
        "date": "DATE",
        "timestamp": "TIMESTAMP(6)",
        "zoned": "TIMESTAMP(6) WITH TIME ZONE",
    }
    position_types: ClassVar[tuple[str, str, str]] = ("VARCHAR2(255)", "TIMESTAMP", "NUMBER(19)")
    temporary: ClassVar[str] = "PRIVATE TEMPORARY TABLE"
    one_row: ClassVar[str] = "dual d"
    releases_marks: ClassVar[bool] = False
    stage_prefix: ClassVar[str] = "ora$ptt_"
    stage_options: ClassVar[str] = "ON COMMIT PRESERVE DEFINITION "
    columns_query: ClassVar[str] = (
        "SELECT column_name, data_type, data_scale, nullable, data_default, data_precision, nullif(char_length, 0), "
        "CASE WHEN virtual_column = 'YES' OR identity_column = 'YES' THEN 'Y' ELSE 'N' END FROM all_tab_cols "
        "WHERE owner = :1 AND table_name = :2 AND hidden_column = 'NO' ORDER BY column_id"
    )
    _LOST: ClassVar[tuple[str, ...]] = ("DPY-4011", "DPY-1001", "ORA-03113", "ORA-03114", "ORA-00060", "ORA-01012")

    def connect(self) -> Any:
        oracledb = driver_of("oracledb", self.url)
        url = self.url
        dsn = f"{url.host}:{url.port or 1521}/{url.name}"
        connection = oracledb.connect(user=url.user, password=url.password, dsn=dsn)
        texts = (oracledb.DB_TYPE_CLOB, oracledb.DB_TYPE_NCLOB)
        connection.outputtypehandler = lambda cursor, column: (
            cursor.var(oracledb.DB_TYPE_LONG, arraysize=cursor.arraysize) if column.type_code in texts else None
        )
        return connection

    def is_refusal(self, error: Exception) -> bool:
        return str(error).startswith(("ORA-01017", "ORA-01005", "ORA-28000", "ORA-28001", "DPY-4001"))

    def mark_of(self, number: int) -> str:
        return f":{number + 1}"

    def usual_case(self, name: str) -> str:
        return name.upper()

    def lock(self, connection: Any, name: str) -> bool:
        number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") % 1073741823
        with connection.cursor() as cursor:
            result = cursor.callfunc("DBMS_LOCK.REQUEST", int, [number, 6, 0, False])
        return result in (0, 4)

    def tables(self, cursor: Any, name: Sequence[str]) -> list[tuple[str, str]]:
        schema, table = schema_and_table(name)
        cursor.execute(
            "SELECT owner, table_name FROM all_tables WHERE upper(table_name) = :1 AND "
            "owner = nvl(upper(:2), sys_context('userenv', 'current_schema'))",
            (table.upper(), schema),
        )
        return [*cursor.fetchall()]

    def family(self, kind: str) -> str | None:
        return "timestamp" if kind.lower() == "date" else super().family(kind)

    def kind_for(self, kind: pa.DataType, *, is_key: bool) -> str:
        if is_key and family_of(kind) in ("text", "binary"):
            return "VARCHAR2(1000)" if family_of(kind) == "text" else "RAW(1000)"
        return super().kind_for(kind, is_key=is_key)

    def delete(self, table: str, stage: str, on: str, where: str) -> str:
        return f"DELETE FROM {table} t WHERE EXISTS (SELECT 1 FROM {stage} s WHERE {on} AND {where})"

    def update(
        self, table: tuple[str, str], other: tuple[str, str], on: str, sets: Mapping[str, str], where: str
    ) -> str:
        if any(f"{table[1]}.{name} " in f"{where} " for name in sets):  # MERGE sets no column of its condition
            rows = f"FROM {' '.join(other)} WHERE {on} AND {where}"
            names, values = ", ".join(f"{table[1]}.{name}" for name in sets), ", ".join(sets.values())
            return f"UPDATE {' '.join(table)} SET ({names}) = (SELECT {values} {rows}) WHERE EXISTS (SELECT 1 {rows})"
        assigned = ", ".join(f"{table[1]}.{name} = {value}" for name, value in sets.items())
        merged = f"MERGE INTO {' '.join(table)} USING {' '.join(other)} ON ({on} AND {where})"
        return f"{merged} WHEN MATCHED THEN UPDATE SET {assigned}"

    longest_text: ClassVar[int] = 4_000

    def retype(self, table: str, column: str, kind: str) -> str:
        return f"ALTER TABLE {table} MODIFY {column} {kind}"

    has_flashback: ClassVar[bool] = True

    def enter_snapshot(self, connection: Any, snapshot: str | None) -> None:
        connection.cursor().execute("SET TRANSACTION READ ONLY")

    def present_csn(self, cursor: Any) -> str:
        cursor.execute("SELECT dbms_flashback.get_system_change_number FROM dual")
        return str(cursor.fetchone()[0])

    def query_at(self, columns: Sequence[str], table: str, csn: str) -> str:
        return f"SELECT {', '.join(columns)} FROM {table} AS OF SCN {int(csn)}"

    def is_lost(self, connection: Any, error: Exception) -> bool:
        return str(error).startswith(self._LOST)
