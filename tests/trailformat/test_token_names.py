from __future__ import annotations

import pytest

from trailformat.codec.tokens import GGS_TOKENS, RECORD_TOKENS, token_name


@pytest.mark.parametrize(("letter", "name"), [("G", "Record Header"), ("H", "GHDR"), ("Z", "Record Trailer")])
def test_record_tokens_have_the_names_that_logdump_prints(letter: str, name: str) -> None:
    assert token_name(RECORD_TOKENS, ord(letter)) == name


@pytest.mark.parametrize(("letter", "name"), [("L", "LOGCSN"), ("6", "TRANID"), ("R", "ORAROWID"), ("t", "ORATAG")])
def test_ggs_tokens_have_the_names_that_logdump_prints(letter: str, name: str) -> None:
    assert token_name(GGS_TOKENS, ord(letter)) == name


def test_an_id_means_another_thing_at_another_level() -> None:
    assert token_name(RECORD_TOKENS, ord("D")) == "Data"
    assert token_name(GGS_TOKENS, ord("D")) == "DDL"


@pytest.mark.parametrize("token_id", [0x00, 0x7E, 0xFF])
def test_an_unknown_id_has_no_name(token_id: int) -> None:
    assert token_name(GGS_TOKENS, token_id) == ""
