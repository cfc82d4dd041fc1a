"""The published schema is current, and every config names it to the editor."""

from pathlib import Path

import pytest

from vertex_jobs.spec.schema import PUBLISHED, published_text

ROOT = Path(__file__).parents[3]


def test_the_published_file_is_current() -> None:
    assert PUBLISHED.read_text(encoding="utf-8") == published_text(), (
        "run: python tests/docs/config_pages.py"
    )


@pytest.mark.parametrize(
    "config", sorted((ROOT / "configs").glob("*.yaml")), ids=lambda path: path.stem
)
def test_a_config_says_its_schema_to_the_editor(config: Path) -> None:
    first = config.read_text(encoding="utf-8").partition("\n")[0]
    expected = f"# yaml-language-server: $schema=../{PUBLISHED.relative_to(ROOT)}"
    assert first == expected, f"put this first in {config.name}:\n{expected}"
