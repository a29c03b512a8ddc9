from datetime import datetime, timedelta, timezone

import pytest

from leaderboard.lib import formatting


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (12.14, "12.1"),
        (9.996, "10.0"),
        (0.9996, "1.00"),
        (99.96, "100"),
        (1234.5, "1,234"),
        (0.00123, "0.00123"),
        (0, "0"),
        (None, "–"),
        (float("nan"), "–"),
        (float("inf"), "–"),
    ],
)
def test_numbers_have_three_significant_digits(value: float | None, text: str) -> None:
    assert formatting.three_digits(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (0.004, "0.4"), (0.0949, "9.5"), (0.0999, "10"), (0.83, "83"), (1.0, "100")]
)
def test_a_small_share_is_not_shown_as_zero(value: float, text: str) -> None:
    assert formatting.percent(value) == f"{text}{formatting.THIN}%"


@pytest.mark.parametrize(("value", "text"), [(1 / 256, "0.004"), (1.004, "1.004"), (16.0, "16.0"), (0.0, "0.000"), (None, "–")])
def test_memory_shows_a_single_page(value: float | None, text: str) -> None:
    assert formatting.mib(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(14, "14 s"), (119, "119 s"), (41 * 60, "41 min"), (76 * 60 * 2, "2 h 32 min"), (5 * 86400, "5 days"), (None, "–")],
)
def test_durations_are_in_the_unit_that_fits(seconds: float | None, text: str) -> None:
    assert formatting.duration(seconds).replace(formatting.NO_BREAK, " ") == text


def test_times_are_shown_in_utc() -> None:
    there = datetime(2026, 11, 27, 15, 2, tzinfo=timezone(timedelta(hours=1)))
    assert formatting.utc(there) == "27 Nov 2026, 14:02 UTC"


def test_an_interval_that_does_not_exist_is_not_shown() -> None:
    assert formatting.span(None, None) == ""
    assert formatting.span(0.831, 0.986, unit=100, digits=0) == "83–99"
