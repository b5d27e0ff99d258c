"""The README's session: what these commands really print."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.commands import REGISTRY
from logdump.language.execute import run_line
from logdump.notation.times import GMT
from logdump.render.text import render
from logdump.session.session import Session
from scripts.marked import ROOT, with_content

README = ROOT / "README.md"
MARKER = "session"
HOME = "/home/me/logdump"
"""Stands for the folder of the repository."""
COMMANDS = (
    "open fixtures/trails/et000000000",
    "count",
    "ghdr on; detail data; ggstoken detail",
    "scanfortype FieldComp",
)


def session() -> str:
    """The session as a terminal shows it."""
    return "\n".join(["```", *_lines(), "```"])


def _lines() -> Iterator[str]:
    one = Session()
    one.settings.time_offset = GMT
    for command in COMMANDS:
        yield f"Logdump {one.number} >{command}"
        for event in run_line(one, REGISTRY, command.replace("fixtures", f"{ROOT}/fixtures")):
            for line in render(event, one.settings):
                yield line.replace(str(ROOT), HOME).rstrip()
    one.close()


def updated(readme: str) -> str:
    """The README with what the commands print today."""
    return with_content(readme, MARKER, session())


def main() -> None:
    """Write the session into the README."""
    README.write_text(updated(README.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
