"""COMPRESS: estimated savings of RMTHOST COMPRESS on the network, and of image options in the trail."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from logdump.features.compression.blocks import MOST_THRESHOLD
from logdump.features.compression.survey import CompressOptions, CompressSurvey
from logdump.language.command import Command, Origin
from logdump.language.forms import AnyOrder, Keyword
from logdump.language.parameters import File, Number, OneOf
from logdump.parameters.in_use import parameters_in_use, unused_parameters
from logdump.parameters.not_used import ParameterUse
from logdump.parameters.tree import Other, options_in, options_of
from logdump.session.across import files_from
from logdump.session.chosen_trail import trail_title
from logdump.session.events import Bad, Event, Notice, Text, say
from logdump.session.files import matching_files
from logdump.session.reading import Reading, answered
from logdump.session.session import Session
from trailformat import NotATrail, TrailFile
from trailformat.transactions.whole_trail import missing_among

_MOST_BLOCK = 2**30


def run_compress(session: Session, options: CompressOptions) -> Iterator[Event]:
    """Estimate savings over the open trail, or the files of a wildcard; the read position does not change."""
    options = _with_parameters(session, options)
    survey = CompressSurvey(options, session.selection, session.definitions_of, session.settings.notify)
    paths = list(files_from(session)) if options.over is None else matching_files(options.over)
    survey.missing = len(missing_among(paths)) if options.over is not None else 0
    title = trail_title(options.over if options.over and len(paths) > 1 else paths[0], len(paths))

    def results(reading: Reading) -> Iterator[Event]:
        yield from survey.results(title, is_partial=reading.is_partial)
        yield from _remarks(session)

    yield from answered(_over_files(session, survey, paths), survey.reading, results)


def _over_files(session: Session, survey: CompressSurvey, paths: list[Path]) -> Iterator[Event]:
    for path in paths:
        if session.has_trail and path == session.trail.path:
            yield from survey.take(session.trail)
            continue
        try:
            with TrailFile(path) as trail:
                yield from survey.take(trail)
        except NotATrail as error:
            survey.unreadable += 1
            yield Notice((f"{error}: not read",), bad=Bad(error))


def _remarks(session: Session) -> Iterator[Text]:
    """Yield a remark if the parameter file does not compress, and its options that are not used here."""
    file = parameters_in_use(session).extract
    hosts = (
        [statement.rule for statement in file.of(Other) if statement.keyword == "RMTHOST"] if file is not None else []
    )
    for rule in hosts:
        place = f"{rule.path}, line {rule.line}"
        if next(options_in(rule, "COMPRESS")) is None:
            yield say(f"RMTHOST ({place}) has no COMPRESS: it sends the blocks as they are.")
        if rule is not hosts[-1]:
            yield say(f"RMTHOST ({place}) is not used: the sizes are those of the last one.")
    yield from unused_parameters(session, ParameterUse.WIRE)


def _with_parameters(session: Session, options: CompressOptions) -> CompressOptions:
    """Return the options, completed by RMTHOST of the parameter file in use."""
    said = options_of(parameters_in_use(session).extract, "RMTHOST", "TCPFLUSHBYTES", "COMPRESSTHRESHOLD")
    block, threshold = (int(option.word) if option is not None and option.word.isdecimal() else None for option in said)
    return options._replace(
        block=options.block or block,
        threshold=threshold if options.threshold is None else options.threshold,
    )


COMMANDS = (
    Command(
        "COMPRESS",
        AnyOrder(
            CompressOptions,
            {
                "images": OneOf({"IMAGES": True}),
                "by_table": Keyword("BY", OneOf({"TABLE": True})),
                "block": Keyword("BLOCK", Number("<bytes>", 1, _MOST_BLOCK, "a number of bytes")),
                "threshold": Keyword("THRESHOLD", Number("<bytes>", 0, MOST_THRESHOLD, "a number of bytes")),
                "level": Keyword("LEVEL", Number("<1-9>", 1, 9, "a level")),
                "sample": Keyword("SAMPLE", Number("<percent>", 1, 100, "a percentage")),
                "at_commit": Keyword("FLUSH", OneOf({"COMMIT": True})),
                "over": Keyword("OVER", File("<wildcard>")),
            },
            wrong="{!r} is not an option of COMPRESS.",
        ),
        "Estimate what RMTHOST COMPRESS would save on the network, or image options in the trail",
        run_compress,
        details=(
            "The records are packed into blocks of at most BLOCK bytes (30000); those over THRESHOLD bytes are",
            f"compressed (COMPRESSTHRESHOLD: 0, all, to {MOST_THRESHOLD}; 1000). zlib replaces the unknown algorithm.",
            "Without LEVEL: levels 1, 6 and 9, on 200 blocks; SAMPLE: on this percentage of the blocks.",
            "FLUSH COMMIT: a block ends with each transaction. BY TABLE: each table as if it were sent alone.",
            "IMAGES: the bytes by parts of the records, and the bytes of columns that image options would omit.",
            "The sizes of both trails stay the same with RMTHOST COMPRESS. The FILTER applies; the position stays.",
        ),
        origin=Origin.OURS,
        is_one_shot=True,
        stops="Ctrl+C stops and shows the result so far",
    ),
)
