"""``logdump.spark.publish`` in a session of Spark: the messages of EXPORT, and a position for either driver."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import logdump
import logdump.spark
from tests.logdump.spark.targets.bank import NAMES, batch_size
from tests.logdump.targets.kafka.brokers import Cluster, tansu
from tests.logdump.targets.kafka.test_publish import exported, timeless
from tests.simulated.five_tables import bank_trail

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["tansu"]
pytestmark = pytest.mark.spark


def test_the_messages_are_those_of_export_and_either_driver_goes_on(
    spark: SparkSession, tansu: Cluster, tmp_path: Path
) -> None:
    first, whole = tmp_path / "first", tmp_path / "whole"
    for folder, transactions in ((first, 8), (whole, 16)):
        folder.mkdir()
        bank_trail(folder, transactions, seed=5, roll_chance=0.2, cut_chance=0.0)
    given: dict[str, Any] = {"topics": "spark.{table}", "positions": "spark.p", "once": True, "create": True}
    given |= {"truncates": "write", "batch": batch_size(whole, 3)}
    logdump.spark.publish(spark, f"{first}/sm*", tansu.url, **given)
    logdump.publish(f"{whole}/sm*", tansu.url, **given)
    assert logdump.spark.publish(spark, f"{whole}/sm*", tansu.url, **given).rows == 0
    expected = exported(whole, "debezium")
    for table in NAMES:
        messages = [timeless(message.value) for message in tansu.sent(f"spark.{table}") if message.value is not None]
        wanted = expected.get(table, [])
        assert sorted(map(wanted.index, messages)) == [*range(len(wanted))], table
