"""Servers that may be killed, and what their tables hold then."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.logdump.spark.targets.bank import NAMES, changes_of, differences, opened
from tests.logdump.spark.targets.places import Place, mariadb_place, postgresql_place
from tests.logdump.statements.servers import MariaDBServer, PostgreSQLServer, mariadb_server, postgresql_server
from tests.simulated.five_tables import BankStates, bank_trail

Server = PostgreSQLServer | MariaDBServer
COUNTED = "CREATE TABLE counted (id bigint)"
COUNTS = {
    "postgresql": (
        """CREATE FUNCTION count_it() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO counted VALUES (NEW.id); RETURN NEW; END $$""",
        "CREATE TRIGGER counts AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION count_it()",
    ),
    "mariadb": ("CREATE TRIGGER counts AFTER INSERT ON events FOR EACH ROW INSERT INTO counted VALUES (NEW.id)",),
}


@pytest.fixture(params=["postgresql", "mariadb"])
def killed(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Server, Place]]:
    """A server that may be killed, and a database in it: empty tables, with a trigger that counts what is inserted."""
    servers: Iterator[Server] = postgresql_server() if request.param == "postgresql" else mariadb_server()
    for server in servers:
        place = postgresql_place(server) if isinstance(server, PostgreSQLServer) else mariadb_place(server)
        first = tmp_path / "first"
        first.mkdir()
        bank_trail(first, 1)
        target = place.target()
        opened(target, changes_of(first)[1])
        target.close()
        place.run(COUNTED, *COUNTS[request.param])
        yield server, place


def held(states: BankStates, place: Place) -> str:
    """The CSN up to which the tables are those of the source, at one moment; each event was inserted once."""
    tables = (f"SELECT * FROM {name.rpartition('.')[2].lower()}" for name in NAMES)
    counted = "SELECT count(*), count(DISTINCT id) FROM counted"
    csns, counts, *found = place.at_once("SELECT DISTINCT csn FROM logdump_position", counted, *tables)
    csn = csns[0][0] if csns else None
    states.go_to(csn)
    assert differences(states, dict(zip(NAMES, found, strict=True))) == []
    assert counts == [(len(states.rows["BANK.EVENTS"]),) * 2]
    return str(csn)
