"""The read position and the marks as JSON."""

from __future__ import annotations

from logdump.render.json_shape import Field, Shape

POSITION = Shape(
    "position",
    "The read position, as POSITION and BEGIN answer.",
    (
        Field("file", "string", "Path of the file", lambda shown: str(shown.path)),
        Field("rba", "number", "Byte offset in it", lambda shown: shown.rba),
        Field(
            "direction",
            "string",
            "`forward`, or `reverse`",
            lambda shown: "reverse" if shown.is_backwards else "forward",
        ),
    ),
)

NO_RECORD = Shape(
    "no_record",
    "Beside `position`: no record starts there (`reverse`: ends there).",
    (
        *POSITION.fields,
        Field("before", "number or null", "RBA of the record that starts before it", lambda shown: shown.before),
        Field("after", "number or null", "RBA of the record that starts after it", lambda shown: shown.after),
        Field("inside", "boolean", "Whether it lies inside the record before it", lambda shown: shown.is_inside),
        Field("end_of_file", "number", "Bytes in the file", lambda shown: shown.size),
    ),
)

MARK = Shape(
    "mark",
    "One mark.",
    (
        Field("name", "string", "Its name", lambda mark: mark.name),
        Field("file", "string", "Path of the file", lambda mark: str(mark.path)),
        Field("rba", "number", "Byte offset in it", lambda mark: mark.rba),
        Field("note", "string", "What was noted with it", lambda mark: mark.note),
    ),
)

MARKS = Shape(
    "marks",
    "MARK: all marks, by file and RBA.",
    (Field("marks", "list of mark", "The marks", lambda shown: [MARK.build(one) for one in shown.marks]),),
)
