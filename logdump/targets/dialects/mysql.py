"""The dialect of MySQL and MariaDB."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from logdump.targets.dialects.dialect import DatabaseDialect, driver_of, family_of, in_utc, is_zoned, named_columns

if TYPE_CHECKING:
    import pyarrow as pa

_REFUSALS = frozenset({1044, 1045, 1049, 1130, 1698, 2059, 2061})
"""Errors of connecting to a server that is there: no access, no such database, a way to log in that is not known."""


class MySQLDialect(DatabaseDialect):
    """MySQL and MariaDB."""

    quote_mark: ClassVar[str] = "`"
    longest_name: ClassVar[int | None] = 64
    name_unit: ClassVar[str] = "characters"
    types: ClassVar[Mapping[str, str]] = {
        "integer": "BIGINT",
        "decimal": "DECIMAL",
        "float": "DOUBLE",
        "text": "LONGTEXT",
        "binary": "LONGBLOB",
        "date": "DATE",
        "timestamp": "DATETIME(6)",
        "zoned": "TIMESTAMP(6)",
    }
    position_types: ClassVar[tuple[str, str, str]] = ("VARCHAR(255)", "DATETIME(6) NULL", "BIGINT")
    current_schema: ClassVar[str] = "database()"
    columns_query: ClassVar[str] = DatabaseDialect.columns_query.replace(
        "generation_expression <> ''", "generation_expression <> '' OR extra LIKE '%%on update%%'"
    ).replace("is_identity = 'YES'", "extra LIKE '%%auto_increment%%'")
    integer: ClassVar[str] = "SIGNED"
    character: ClassVar[str] = "CHAR"
    _TRY_AGAIN: ClassVar[frozenset[int]] = frozenset({1205, 1213, 1053, 2003, 2006, 2013, 2014, 2055})

    def connect(self) -> Any:
        pymysql = driver_of("pymysql", self.url)
        url = self.url
        return pymysql.connect(
            host=url.host or "localhost",
            port=url.port or 3306,
            user=url.user or None,
            password=url.password,
            database=url.name or None,
            unix_socket=url.parameters.get("unix_socket"),
            charset="utf8mb4",
            connect_timeout=10,
            autocommit=False,
            client_flag=pymysql.constants.CLIENT.FOUND_ROWS,
            init_command="SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE', "
            "time_zone = '+00:00', innodb_lock_wait_timeout = 50",
        )

    def is_refusal(self, error: Exception) -> bool:
        return bool(error.args) and error.args[0] in _REFUSALS

    def lock(self, connection: Any, name: str) -> bool:
        with connection.cursor() as cursor:
            cursor.execute("SELECT GET_LOCK(%s, 0)", (f"logdump {hashlib.sha256(name.encode()).hexdigest()[:40]}",))
            return bool(cursor.fetchone()[0])

    def family(self, kind: str) -> str | None:
        return "zoned" if kind.lower() == "timestamp" else super().family(kind)

    def kind_for(self, kind: pa.DataType, *, is_key: bool) -> str:
        if is_key and family_of(kind) in ("text", "binary"):
            return "VARCHAR(255)" if family_of(kind) == "text" else "VARBINARY(255)"
        wide = super().kind_for(kind, is_key=is_key)
        is_zoned_column = family_of(kind) == "zoned" and not is_key
        return f"{wide} NULL" if is_zoned_column else wide  # else some set the first one to the time of each UPDATE

    def value(self, value: Any) -> Any:
        return in_utc(value) if is_zoned(value) else value

    def no_rows(self, columns: Mapping[str, str], table: str) -> str:
        nulls = ", ".join(f"NULL AS {name}" for name in columns)
        return f"SELECT {nulls} WHERE 1 = 0 UNION ALL SELECT {named_columns(columns)} FROM {table} t WHERE 1 = 0"

    def delete(self, table: str, stage: str, on: str, where: str) -> str:
        return f"DELETE t FROM {stage} AS s JOIN {table} AS t ON {on} WHERE {where}"

    def update(
        self, table: tuple[str, str], other: tuple[str, str], on: str, sets: Mapping[str, str], where: str
    ) -> str:
        assigned = ", ".join(f"{table[1]}.{name} = {value}" for name, value in sets.items())
        return f"UPDATE {' AS '.join(other)} JOIN {' AS '.join(table)} ON {on} SET {assigned} WHERE {where}"

    retypes_plain_alone: ClassVar[bool] = True
    longest_text: ClassVar[int] = 4_000

    def retype(self, table: str, column: str, kind: str) -> str:
        return f"ALTER TABLE {table} MODIFY {column} {kind}"

    def is_lost(self, connection: Any, error: Exception) -> bool:
        return not connection.open or (bool(error.args) and error.args[0] in self._TRY_AGAIN)
