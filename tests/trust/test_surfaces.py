"""Every way in, attacked with inputs that nobody listed: the short form of ``make trust``."""

import pytest
from campaign import SURFACES, attack


@pytest.mark.extended
@pytest.mark.parametrize("name", SURFACES)
def test_every_input_is_taken_or_refused_in_words(name: str) -> None:
    assert attack(SURFACES[name], inputs=500, chosen=20261122).first_inputs == {}
