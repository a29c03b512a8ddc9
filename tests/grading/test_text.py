"""Text for records, from bytes of any kind."""

from hypothesis import given
from hypothesis import strategies as st

from grading.text import DETAIL_LIMIT, LOG_LIMIT, clean, decode, one_sentence


def test_bytes_in_another_encoding_are_kept_as_far_as_they_can_be_read():
    assert decode("Fehler: \xfcber".encode("latin-1")) == "Fehler: \ufffdber"


def test_nul_and_lone_surrogates_do_not_reach_the_database():
    assert clean("a\0b\ud800c") == "ab?c"


def test_a_long_log_keeps_both_ends_and_says_what_is_missing():
    text = clean("begin " + "x" * 10 * LOG_LIMIT + " end")
    assert text.startswith("begin")
    assert text.endswith("end")
    assert "characters left out" in text
    assert len(text) < LOG_LIMIT + 100


def test_cutting_never_splits_a_character():
    assert "\ufffd" not in decode(("\u20ac" * LOG_LIMIT * 2).encode())


def test_a_detail_is_one_sentence():
    assert one_sentence("wrong result\n at n = 3") == "Wrong result at n = 3."
    assert one_sentence("Is it right?") == "Is it right?"
    assert one_sentence("dot_f32 is not defined") == "dot_f32 is not defined."
    assert one_sentence("") == ""
    assert len(one_sentence("x" * 10_000)) <= DETAIL_LIMIT


@given(st.binary(max_size=300))
def test_any_bytes_become_text_that_can_be_stored(data):
    text = decode(data)
    assert "\0" not in text
    assert text.encode("utf-8").decode("utf-8") == text
