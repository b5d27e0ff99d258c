from __future__ import annotations

from tests.logdump.line import Line


def _definition(line: Line, switches: str) -> list[str]:
    line(switches)
    return line("pos 0; sfmd tdr 1")


def test_sqlformat_writes_a_create_table(shop: Line) -> None:
    shown = _definition(shop, "metadata sqlformat on")
    assert shown[shown.index("CREATE TABLE TEAHOUSE.TEAS") :] == [
        "CREATE TABLE TEAHOUSE.TEAS",
        "(",
        '  "TEA_CODE" VARCHAR(6),',
        '  "NAME" VARCHAR(40),',
        '  "ORIGIN" VARCHAR(30),',
        '  "GRADE" CHAR(2),',
        '  "PRICE" NUMERIC(18,2),',
        '  "STOCK_KG" BIGINT,',
        '  PRIMARY KEY ("TEA_CODE")',
        ");",
    ]


def test_defgenformat_writes_an_entry_of_a_definitions_file(shop: Line) -> None:
    shown = _definition(shop, "metadata defgenformat on")
    assert "Definition for table TEAHOUSE.TEAS" in shown
    assert shown[-1] == "End of definition"
    assert "Syskey: 0" in shown


def test_ddlformat_writes_nonstop_ddl(shop: Line) -> None:
    shown = _definition(shop, "metadata ddlformat on")
    assert "DEF TEAS." in shown
    assert "  02 TEA-CODE                       TYPE CHARACTER 6." in shown


def test_detail_shows_the_tokens_and_data_their_bytes(shop: Line) -> None:
    plain = _definition(shop, "")
    names = _definition(shop, "metadata detail on")
    data = _definition(shop, "metadata detail data")
    assert len(plain) < len(names) < len(data)
    assert any("KeyColumns" in text for text in names)


def test_off_brings_the_listing_back(shop: Line) -> None:
    listing = _definition(shop, "")
    assert _definition(shop, "metadata sqlformat on; metadata sqlformat off") == listing


def test_without_arguments_all_states_are_told(shop: Line) -> None:
    assert shop("metadata sqlformat on; metadata") == [
        "METADATA DDLFORMAT is OFF",
        "METADATA DEFGENFORMAT is OFF",
        "METADATA SQLFORMAT is ON",
        "METADATA DETAIL is OFF",
    ]


def test_columndata_is_detail_data(shop: Line) -> None:
    assert shop("columndata on; detail") == ["DETAIL is DATA"]
    assert shop("columndata off; detail") == ["DETAIL is ON"]
