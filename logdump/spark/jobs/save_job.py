"""SAVE under ENGINE SPARK: the task that scans the file writes the new one."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from functools import partial

from logdump.features.save.saver import SaveOptions, check_target
from logdump.notation.text import amount
from logdump.session.across import goes_over_files
from logdump.session.engines import Unsupported
from logdump.session.errors import ExitStatus
from logdump.session.events import Event, Notice, say
from logdump.session.session import Session
from logdump.spark.jobs.engine import left_to_local, note_ends, run_job, started
from logdump.tables.session_options import filter_options
from trailformat import BadRecord, TrailName
from trailformat.codec.on_demand import on_demand

with on_demand:
    from logdump.spark.write import save


def save_in_spark(master: str, session: Session, options: SaveOptions) -> Generator[Event, None, bool]:
    """Save the records that pass, from the position to the end; return false if this process must do it.

    The position is then at the end of the trail.

    Raises:
        CommandError: the target must not be written, or the job failed.
    """
    check_target(session, options)
    try:
        chosen = _choice(session, options)
    except Unsupported as why:
        yield left_to_local(why)
        return False
    spark = yield from started(master)
    mode = "overwrite" if options.replaces else "errorifexists"
    action = partial(save.save, spark, session.trail.path, options.target, mode=mode, megabytes=None, **chosen)
    try:
        saved = yield from run_job(spark, action)
    except BadRecord:
        return False  # the local engine shows the damage
    except KeyboardInterrupt:
        yield Notice(("The Spark job is cancelled: nothing was saved.",), ExitStatus.INTERRUPTED)
        raise
    if not saved:
        return False  # a file without records is written by the local engine too
    session.cursor.move(session.trail.size)
    yield say(*(f"Saved {amount(written.records, 'record')} to {written.file}" for written in saved))
    note_ends(session.trail.path)
    return True


def _choice(session: Session, options: SaveOptions) -> dict[str, str]:
    """Return the options of ``save`` that select the same records as the command.

    Raises:
        Unsupported: no options do.
    """
    for why in _obstacles(session, options):
        raise Unsupported(why)
    start, name = session.cursor.next, TrailName.parse(session.trail.path)
    position = {"startSeqno": str(name.seqno), "startRba": str(start)} if start and name else {}
    return {**_filter(session), **position}


def _filter(session: Session) -> dict[str, str]:
    """Return the session's FILTER as options of ``save``. Raises like filter_options."""
    filters = session.filters_in_use
    if session.source_definitions is not None and filters is not None and filters.active:
        from logdump.filters import Needs  # noqa: PLC0415 - there is a filter

        if Needs.VALUES in filters.needs:
            raise Unsupported("a FILTER on values by the definitions of a file")
    return filter_options(session)


def _obstacles(session: Session, options: SaveOptions) -> Iterator[str]:
    from logdump.spark.write.target import documented_name  # noqa: PLC0415 - for ENGINE SPARK

    if goes_over_files(session):
        yield "ACROSS"
    source, target = TrailName.parse(session.trail.path), documented_name(options.target)
    if options.records is not None or options.bytes is not None:
        yield "RECORDS and BYTES"
    if options.trans_ind is not None or options.commit_time is not None or options.has_comments:
        yield "TRANSIND, COMMITTS and COMMENT"
    if target is None or options.target.is_dir():
        yield "a target whose name is not two characters and 6 or 9 digits"
    elif source and (source.directory.resolve(), source.prefix) == (target.directory.resolve(), target.prefix):
        yield "a target that is a file of the open trail itself"
    if session.cursor.next and source is None:
        yield "a position in a file without a sequence number"
