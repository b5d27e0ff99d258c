"""The estimates of COMPRESS as JSON."""

from __future__ import annotations

from logdump.display.json_fields import fields
from logdump.display.json_shape import PARTIAL, Shape, at, member, verdict
from logdump.features.compression.model import Compression, CompressionShown, ImageSaving, ImagesShown, SurveyedRecords

_SURVEYED = (
    member("assumed", "string", "Assumptions, and how to confirm them"),
    *fields(SurveyedRecords, of="surveyed"),
    PARTIAL._replace(value=at("surveyed.is_partial")),
)
_OTHERS = member("others", "number", "Tables that are added up as `(other tables)`")

SURVEY = Shape(
    "compression_survey",
    "COMPRESS: the scope of the `compression` objects after it.",
    (*_SURVEYED, *fields(CompressionShown, "block threshold ends_at_commit"), _OTHERS),
    CompressionShown,
)

COMPRESSION = Shape(
    "compression",
    "COMPRESS: the result of one level.",
    (
        member(
            "scope",
            "string",
            "`all`; `table`: its records sent alone",
            lambda result: "table" if result.table else "all",
        ),
        *fields(Compression, "table bytes compressed"),
        member("ratio", "number", "The first by the second, to 4 decimals", lambda result: round(result.ratio, 4)),
        *fields(Compression, "blocks blocks_compressed level threshold"),
        member("seconds", "number", "Time of zlib here", lambda result: round(result.seconds, 6)),
        *fields(Compression, "tried"),
        *verdict(
            member("incompressible", "boolean", "Whether the data do not compress: encrypted?", "is_incompressible")
        ),
    ),
    Compression,
)

IMAGES = Shape(
    "image_parts",
    "COMPRESS IMAGES: the bytes of the records by their parts.",
    (*_SURVEYED, *fields(ImagesShown, "parts"), _OTHERS),
    ImagesShown,
)

SAVING = Shape("image_saving", "COMPRESS IMAGES: the saving of one option.", fields(ImageSaving), ImageSaving)
