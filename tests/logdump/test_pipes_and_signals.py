"""What only a process of its own can show: pipes that end early, interrupts, closed streams."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from logdump.session.errors import ExitStatus
from tests.logdump.program import COMMAND, ENVIRONMENT, process

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals and shells of UNIX")


@pytest.fixture
def trail(trails: Path) -> str:
    return str(trails / "et000000000")


def shell(line: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**ENVIRONMENT, "LOGDUMP": " ".join(COMMAND), **variables}
    return subprocess.run(
        ["/bin/sh", "-c", line], capture_output=True, text=True, env=environment, check=False, timeout=60
    )


def test_the_documented_pipe_works(trail: str) -> None:
    typed = f"open {trail}\nghdr on\ndetail data\nnext 5\ncount detail\n"
    answer = process(typed=typed)
    assert answer.status == ExitStatus.OK
    assert f"Logdump 5 >LogTrail {trail} has 22 records\n" in answer.out
    assert answer.err == ""


def test_yes_next_reads_the_trail_to_its_end(trail: str) -> None:
    done = shell("yes next | head -100 | $LOGDUMP OPEN $TRAIL", TRAIL=trail)
    assert done.returncode == 0
    assert done.stdout.count(" RBA ") == 22
    assert done.stdout.endswith("Logdump 101 >Logdump 102 >\n")


def test_who_reads_the_answer_may_stop_reading(trail: str) -> None:
    done = shell("yes 'pos 0;next 22' | head -2000 | $LOGDUMP OPEN $TRAIL | head -3", TRAIL=trail)
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.count("\n") == 3


@pytest.mark.parametrize(
    "arguments", ['-c "open $TRAIL; next 22; pos 0; next 22"', "--help", "--version", "show --help"]
)
def test_a_program_whose_answer_nobody_reads_says_nothing(arguments: str, trail: str) -> None:
    done = shell(f"$LOGDUMP {arguments} | true; echo", TRAIL=trail)
    assert done.stderr == ""


@pytest.fixture
def _signals_of_a_terminal() -> Iterator[None]:
    """Ctrl+C arrives in what is started: who runs the tests may ignore it, as a shell has its background jobs do."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted(*arguments: str, typed: str, sign: str) -> tuple[int, str]:
    """Status and errors of a process that gets Ctrl+C after ``sign``, when it has loaded all it needs to read on."""
    with subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        text=True,
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(typed)
        running.stdin.flush()
        watch = threading.Timer(60, running.kill)
        watch.start()
        said = ""
        while not said.endswith(sign):
            character = running.stdout.read(1)
            assert character, said
            said += character
        watch.cancel()
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=60)
    return running.returncode, errors


@pytest.mark.usefixtures("_signals_of_a_terminal")
@pytest.mark.parametrize(
    ("arguments", "typed", "sign"),
    [(["-f", "-"], "ghdr\n", "GHDR is OFF\n"), ([], "ghdr on\n", "Logdump 2 >")],
)
def test_an_interrupt_ends_a_script_with_130(arguments: list[str], typed: str, sign: str) -> None:
    assert interrupted(*arguments, typed=typed, sign=sign) == (ExitStatus.INTERRUPTED, "")


@pytest.mark.parametrize("closed", ["<&-", "2>&-"])
def test_a_closed_standard_stream_is_as_good_as_an_empty_one(closed: str) -> None:
    done = shell(f"echo ghdr | $LOGDUMP {closed}; $LOGDUMP -c ghdr {closed}")
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", ["-c ghdr", "--help", "list '{et}'", "export '{et}' --format csv"])
def test_an_answer_that_closed_standard_output_does_not_take_is_status_1(arguments: str, trails: Path) -> None:
    done = shell(f"$LOGDUMP {arguments.format(et=trails / 'et000000000')} >&-")
    assert done.returncode == ExitStatus.COMMAND_FAILED
    assert done.stderr.splitlines()[-1].endswith("it is closed")
    assert "Traceback" not in done.stderr


def test_a_deleted_folder_does_not_stop_absolute_paths(tmp_path: Path, trails: Path) -> None:
    trail = trails / "et000000000"
    done = shell(
        f"mkdir '{tmp_path}/x'; cd '{tmp_path}/x'; rmdir '{tmp_path}/x'; $LOGDUMP -c 'open \"{trail}\"; count'"
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("way", ["-f <(printf '{lines}')", "-c 'obey /dev/fd/3' 3< <(printf '{lines}')"])
def test_a_pipe_is_read_as_a_script(way: str, trails: Path) -> None:
    lines = f"open {trails / 'et000000000'}\\ncount\\n"
    done = shell(f'bash -c "$LOGDUMP {way.format(lines=lines)}"')
    assert done.returncode == 0, done.stderr
    assert "has 22 records" in done.stdout


def test_an_interrupt_while_modules_are_loaded_is_status_130(tmp_path: Path) -> None:
    (tmp_path / "cli.py").write_text("raise KeyboardInterrupt\n")
    program = f"""
import sys, logdump
logdump.__path__.insert(0, {str(tmp_path)!r})
from logdump.__main__ import main
sys.exit(main())
"""
    done = subprocess.run([COMMAND[0], "-c", program], capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert (done.returncode, done.stderr) == (ExitStatus.INTERRUPTED, "")


def test_sql_without_the_address_space_that_it_needs_is_an_error(trails: Path) -> None:
    done = shell(f"ulimit -v 524288; $LOGDUMP sql 'SELECT 1 FROM records' '{trails / 'et000000000'}'")
    assert done.returncode == ExitStatus.COMMAND_FAILED
    assert done.stderr == "SQL needs 768 MB of address space, and ulimit -v allows 512 MB.\n"
