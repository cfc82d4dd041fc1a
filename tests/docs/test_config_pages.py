"""The page of every key is current, and so every key reaches the request or says who reads it."""

import config_pages


def test_the_page_is_current() -> None:
    assert config_pages.PAGE.read_text(encoding="utf-8") == config_pages.page(), (
        "run: python tests/docs/config_pages.py"
    )
