"""Definitions that stand in a batch, told to the trail that is asked for them later."""

from __future__ import annotations

import numpy as np

from trailformat.records.io_types import METADATA
from trailformat.scan.batch import RECORD, Batch
from trailformat.scan.rows.fields import Array
from trailformat.trail.file import TrailFile


def metadata_rows(batch: Batch) -> Array:
    """Which rows are metadata records: between two of them an index means one definition."""
    io_type, kind = np.asarray(batch.io_type), np.asarray(batch.kind)
    found: Array = (io_type == METADATA) & (kind == RECORD)
    return found


def learn_definitions(trail: TrailFile, batch: Batch) -> Array:
    """Tell the trail where definitions stand in this batch, which every look-up would walk for.

    Returns which rows they are. Batches are given in the order of the file.
    """
    is_metadata = metadata_rows(batch)
    trail.tables.learn(int(batch.rba[0]), batch.end, np.asarray(batch.rba)[is_metadata].tolist())
    return is_metadata
