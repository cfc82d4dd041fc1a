"""Numbers and amounts as a person reads them."""

import pytest

from vertex_jobs.wording import count, number


@pytest.mark.parametrize(
    ("value", "text"), [(0.123456789, "0.123457"), (8, "8"), ("adam", "adam"), (None, "")]
)
def test_number_keeps_six_digits_and_words(value, text):
    assert number(value) == text


def test_one_of_a_noun_has_no_plural():
    assert [count(1, "trial"), count(2, "trial")] == ["1 trial", "2 trials"]
