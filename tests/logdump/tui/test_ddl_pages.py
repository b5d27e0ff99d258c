"""The page of a DDL record says what the parameter files in use make of it."""

from __future__ import annotations

from pathlib import Path

from tests.logdump.tui.drive import Screen, drive


def test_the_page_of_a_ddl_record_shows_the_verdict_and_with_detail_the_steps(tmp_path: Path) -> None:
    path = tmp_path / "rep.prm"
    path.write_text("REPLICAT r\nDDL INCLUDE MAPPED\nMAP teahouse.*, TARGET tea2.*;\n", encoding="utf-8")

    def page(screen: Screen) -> str:
        return "\n".join(one.text for one in screen.app.pages.page("detail").lines)

    async def steps(screen: Screen) -> None:
        await screen.type("pos 1130; detail off")
        assert "applied as" not in page(screen)
        await screen.type(f"params {path}")
        assert page(screen).endswith("\n\nCREATE TABLE TEAHOUSE.TEAS: applied as tea2.TEAS")
        await screen.type("detail on")
        assert "  6  base name TEAHOUSE.TEAS -> tea2.TEAS" in page(screen)
        await screen.type("params off")
        assert "base name" not in page(screen)

    drive(steps, "dt000000000")
