"""COMPUTETIMESTAMP, INTERPRETTIMESTAMP, INTERPRETINTERVAL, CTIME, ESBLOCK and FLOAT."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logdump.notation.conversions import (
    compute_timestamp,
    ctime_lines,
    esblock_lines,
    float_line,
    interpret_interval,
    interpret_timestamp,
)
from tests.conftest import UseZone


class TestComputeTimestamp:
    def test_the_manuals_example_whatever_the_zone_of_the_machine(self, use_zone: UseZone) -> None:
        use_zone("JST-9")
        shown = compute_timestamp("2005-01-01 12:00:00")
        assert shown == "2005-01-01 12:00:00 is JulianTimestamp 211971340800000000"

    def test_a_missing_date_is_today_in_gmt(self) -> None:
        shown = compute_timestamp("12:00", now=211_971_340_800_000_001)
        assert shown == "12:00 is JulianTimestamp 211971340800000000"

    def test_a_time_that_does_not_exist(self) -> None:
        with pytest.raises(ValueError, match="does not exist"):
            compute_timestamp("2024-02-30")


class TestInterpretTimestamp:
    def test_the_manuals_example(self, use_zone: UseZone) -> None:
        use_zone("PST8PDT,M4.1.0,M10.5.0")
        assert interpret_timestamp(211_976_584_185_800_569) == [
            "2005/03/03 04:29:45.800.569 GMT",
            "2005/03/02 20:29:45.800.569 LCT",
        ]

    def test_a_value_without_a_date_is_shown_as_its_bits(self) -> None:
        assert interpret_timestamp(-1) == ["xffffffffffffffff GMT", "xffffffffffffffff LCT"]

    @pytest.mark.parametrize("number", [2**63, -(2**63) - 1])
    def test_a_timestamp_has_64_bits(self, number: int) -> None:
        with pytest.raises(ValueError, match="does not fit into 64 bits"):
            interpret_timestamp(number)


class TestInterpretInterval:
    @pytest.mark.parametrize(
        ("number", "shown"),
        [
            (1_234_567, "0-00:00:01.234.567"),
            (0, "0-00:00:00.000.000"),
            (86_399_999_999, "0-23:59:59.999.999"),
            (86_400_000_000, "1-00:00:00.000.000"),
            (2**63 - 1, "106751991-04:00:54.775.807"),
            (-1_234_567, "-0-00:00:01.234.567"),
        ],
    )
    def test_days_and_the_time_of_day(self, number: int, shown: str) -> None:
        assert interpret_interval(number) == f"Interval {number} is {shown}"

    def test_an_interval_has_64_bits(self) -> None:
        with pytest.raises(ValueError, match="does not fit into 64 bits"):
            interpret_interval(2**63)


class TestCtime:
    def test_the_manuals_example(self, use_zone: UseZone) -> None:
        use_zone("PST8PDT,M4.1.0,M10.5.0")
        assert ctime_lines(1_109_823_330) == [
            "timestamp  = 1109823330 (0x42268f62)",
            "localtime  = Wed Mar  2 20:15:30 2005",
            "gmtime     = Thu Mar  3 04:15:30 2005",
        ]

    def test_zero_and_negative(self, use_zone: UseZone) -> None:
        use_zone("UTC0")
        assert ctime_lines(0)[0] == "timestamp  = 0 (0x0)"
        assert ctime_lines(-1) == [
            "timestamp  = -1 (0xffffffffffffffff)",
            "localtime  = Wed Dec 31 23:59:59 1969",
            "gmtime     = Wed Dec 31 23:59:59 1969",
        ]

    @pytest.mark.parametrize("number", [253_402_387_200, -(10**12), 2**63 - 1, -(2**63)])
    def test_outside_the_calendar(self, number: int) -> None:
        with pytest.raises(ValueError, match="outside the years 1 to 9999"):
            ctime_lines(number)

    def test_a_time_has_64_bits(self) -> None:
        with pytest.raises(ValueError, match="does not fit into 64 bits"):
            ctime_lines(2**63)


class TestEsblock:
    def test_the_manuals_example(self) -> None:
        assert esblock_lines(4_294_967_302) == [
            "Interpreted               4294967302   0x00000001000000060   1.6",
            "64-bit Syskey             4294967302   0x00000001000000060",
            "ES64_TO_RBA64                   4102   0x00000000000010060",
            "RBA64_TO_ES64             4294967302   0x00000001000000060",
        ]

    def test_the_highest_syskey_keeps_the_columns(self) -> None:
        lines = esblock_lines((2**32 - 1) << 32 | 4095)
        assert lines[0] == "Interpreted     18446744069414588415   0xffffffff00000fff0   4294967295.4095"
        assert lines[2] == "ES64_TO_RBA64         17592186044415   0x00000fffffffffff0"

    def test_a_record_number_that_no_relative_byte_address_holds(self) -> None:
        with pytest.raises(ValueError, match="syskey 4102 is block 0, record 4102: a record number goes up to 4095"):
            esblock_lines(4102)

    @pytest.mark.parametrize("number", [-1, 2**64])
    def test_a_syskey_has_64_bits(self, number: int) -> None:
        with pytest.raises(ValueError, match="does not fit into 64 bits"):
            esblock_lines(number)


class TestFloat:
    @pytest.mark.parametrize(
        ("args", "shown"),
        [
            ("2.1", "4000cccccccccccd  2.100000"),
            ("2.2", "400199999999999a  2.200000"),
            ("0x4000cccccccccccd", "4000cccccccccccd  2.100000"),
            ("0x400199999999999a", "400199999999999a  2.200000"),
            ("%H400199999999999a", "400199999999999a  2.200000"),
            ("2.2 FMT %e", "400199999999999a  2.200000e+00"),
            ("2.2 FMT %g", "400199999999999a  2.2"),
            ("0x4000cccccccccccd FMT %g", "4000cccccccccccd  2.1"),
            ("2.2e+01", "4036000000000000  22.000000"),
            ("2.2e-05", "3ef711947cfa26a2  0.000022"),
        ],
    )
    def test_the_manuals_examples(self, args: str, shown: str) -> None:
        assert float_line(args) == shown

    @pytest.mark.parametrize("prefix", ["0x", "%H", "%h", "X", "x", "H", "h"])
    def test_hex_prefixes(self, prefix: str) -> None:
        assert float_line(f"{prefix}4000CCCCCCCCCCCD") == "4000cccccccccccd  2.100000"

    @pytest.mark.parametrize("number", ["+2", "2.", "2", "02", "2e0", "2.0E+0", ".2e1"])
    def test_decimal_forms(self, number: str) -> None:
        assert float_line(number) == "4000000000000000  2.000000"

    @pytest.mark.parametrize("size", ["IEEE", "TDM", "TANDEM", "NSK", "64bit", "64-bit", "F64", "f64"])
    def test_sizes_of_64_bits(self, size: str) -> None:
        assert float_line(f"2.1 {size}") == "4000cccccccccccd  2.100000"

    @pytest.mark.parametrize("size", ["32bit", "32-bit", "F32", "f32"])
    def test_sizes_of_32_bits_print_8_digits_and_the_rounded_value(self, size: str) -> None:
        assert float_line(f"2.1 {size}") == "40066666  2.100000"
        assert float_line(f"2.1 {size} FMT %.10f") == "40066666  2.0999999046"
        assert float_line(f"x40066666 {size}") == "40066666  2.100000"

    @pytest.mark.parametrize(
        ("specifier", "shown"),
        [
            ("%f", "-2.100000"),
            ("%F", "-2.100000"),
            ("%E", "-2.100000E+00"),
            ("%G", "-2.1"),
            ("%lf", "-2.100000"),
            ("%.3f", "-2.100"),
            ("%.f", "-2"),
            ("%#.0f", "-2."),
            ("%12.2f", "       -2.10"),
            ("%-12.2f", "-2.10       "),
            ("%012.2f", "-00000002.10"),
            ("%a", "-0x1.0cccccccccccdp+1"),
            ("%A", "-0X1.0CCCCCCCCCCCDP+1"),
            ("%.2a", "-0x1.0dp+1"),
            ("%.0a", "-0x1p+1"),
            ("%#.0a", "-0x1.p+1"),
            ("%.15a", "-0x1.0cccccccccccd00p+1"),
            ("%12.1a", "   -0x1.1p+1"),
            ("%-12.1a", "-0x1.1p+1   "),
            ("%012.1a", "-0x0001.1p+1"),
        ],
    )
    def test_c99_specifiers(self, specifier: str, shown: str) -> None:
        assert float_line(f"-2.1 FMT {specifier}") == f"c000cccccccccccd  {shown}"
        assert float_line(f"-2.1 format {specifier}") == f"c000cccccccccccd  {shown}"

    @pytest.mark.parametrize(
        ("number", "specifier", "shown"),
        [("2", "%+f", "+2.000000"), ("2", "% f", " 2.000000"), ("2", "% 10.1f", "       2.0"), ("2", "%+a", "+0x1p+1")],
    )
    def test_flags_for_positive_numbers(self, number: str, specifier: str, shown: str) -> None:
        assert float_line(f"{number} FMT {specifier}") == f"4000000000000000  {shown}"

    @pytest.mark.parametrize(
        ("number", "shown"),
        [("0", "0x0p+0"), ("1", "0x1p+0"), ("1.96875", "0x1.f8p+0"), ("5e-324", "0x0.0000000000001p-1022")],
    )
    def test_percent_a_has_no_trailing_zeros(self, number: str, shown: str) -> None:
        assert float_line(f"{number} FMT %a").split()[1] == shown

    def test_percent_a_rounds_to_even(self) -> None:
        assert float_line("1.96875 FMT %.1a").split()[1] == "0x2.0p+0"
        assert float_line("1.03125 FMT %.1a").split()[1] == "0x1.0p+0"
        assert float_line("1.09375 FMT %.1a").split()[1] == "0x1.2p+0"

    def test_few_hex_digits_are_the_low_ones(self) -> None:
        assert float_line("x1 FMT %g") == "0000000000000001  4.94066e-324"
        assert float_line("0x000000000000000000004000000000000000") == "4000000000000000  2.000000"

    @pytest.mark.parametrize(
        ("args", "shown"),
        [
            ("x7ff0000000000000", "7ff0000000000000  inf"),
            ("xfff0000000000000 FMT %010.3f", "fff0000000000000        -inf"),
            ("xff800000 F32 FMT %A", "ff800000  -INF"),
            ("x7ff8000000000001 FMT %G", "7ff8000000000001  NAN"),
            ("x7fa00000 F32", "7fa00000  nan"),
        ],
    )
    def test_hex_of_no_number_is_shown_as_printf_does_and_keeps_its_bits(self, args: str, shown: str) -> None:
        assert float_line(args) == shown

    @pytest.mark.parametrize(
        ("args", "complaint"),
        [
            ("", "takes a number"),
            ("   ", "takes a number"),
            ("abc", "'abc' is not a number"),
            ("2,1", "is not a number"),
            ("nan", "is not a number"),
            ("inf", "is not a number"),
            ("1_000", "is not a number"),
            ("0xfg", "is not a number"),
            ("-0x10", "is not a number"),
            ("0x", "is not a number"),
            ("\u0662", "is not a number"),
            ("0x12345678901234567", "more than the 16 hex digits"),
            ("0x123456789 F32", "more than the 8 hex digits"),
            ("1e999", "too large .* 64 bits"),
            ("1e39 F32", "too large .* 32 bits"),
            ("1e999 F32", "too large .* 32 bits"),
            ("2.1 F16", "not 'F16'"),
            ("2.1 F32 F64", "not 'F64'"),
            ("2.1 FMT %e FMT %f", "not 'FMT'"),
            ("2.1 %e", "not '%e'"),
            ("2.1 FMT", "the format is"),
            ("2.1 FMT e", "the format is"),
            ("2.1 FMT %e%e", "the format is"),
            ("2.1 FMT %s", "the format is"),
            ("2.1 FMT %n", "the format is"),
            ("2.1 FMT %lx", "the format is"),
            ("2.1 FMT %*f", "the format is"),
            ("2.1 FMT %1$f", "the format is"),
            ("2.1 FMT %(a)f", "the format is"),
        ],
    )
    def test_bad_arguments(self, args: str, complaint: str) -> None:
        with pytest.raises(ValueError, match=complaint):
            float_line(args)

    @pytest.mark.parametrize(
        "specifier",
        ["%999999999f", "%.999999999f", "%1000f", "%.1000a", "%" + "0" * 10_000 + "f", "%" + "9" * 10_000 + "a"],
    )
    def test_width_and_precision_are_bounded(self, specifier: str) -> None:
        assert len(float_line("1e308 FMT %999.999f")) == 18 + 309 + 1 + 999
        assert len(float_line("1e308 FMT %999.999a")) == 18 + 4 + 999 + 6
        with pytest.raises(ValueError, match="below 1000"):
            float_line(f"2.1 FMT {specifier}")

    @given(st.floats(allow_nan=False))
    def test_any_number_comes_back_from_its_hex(self, value: float) -> None:
        hexadecimal = struct.pack(">d", value).hex()
        shown, text = float_line(f"0x{hexadecimal} FMT %.17g").split()
        assert shown == hexadecimal
        assert float(text) == value
        if abs(value) != float("inf"):
            assert float_line(text).split()[0] == hexadecimal
            assert float.fromhex(float_line(f"{text} FMT %a").split()[1]) == value
