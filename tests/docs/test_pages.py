"""The pages hang together: links lead somewhere, none is lost, each generated one has a maker."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INDEX = ROOT / "docs" / "README.md"
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]


def targets(page: Path) -> list[str]:
    """What the page links to on this machine, with the heading where one is named."""
    links = re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
    return [link for link in links if not re.match(r"[a-z]+:", link)]


def headings(page: Path) -> set[str]:
    """The anchors that a forge makes of the page's headings."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def leads_somewhere(page: Path, link: str) -> bool:
    path, _, heading = link.partition("#")
    there = page.parent / path if path else page
    return there.exists() and (not heading or heading in headings(there))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    assert [link for link in targets(page) if not leads_somewhere(page, link)] == []


def test_every_page_is_in_the_index() -> None:
    linked = {(INDEX.parent / link.partition("#")[0]).resolve() for link in targets(INDEX)}
    lost = [page.name for page in PAGES[2:] if page != INDEX and page not in linked]
    assert lost == [], f"name them in {INDEX.relative_to(ROOT)}"


def test_make_docs_writes_every_generated_page() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    makers = {
        page.name: re.search(r"page is generated\s+\(`python ([^`]+)`", page.read_text("utf-8"))
        for page in PAGES
    }
    missing = {
        name: maker[1] for name, maker in makers.items() if maker and maker[1] not in makefile
    }
    assert (missing, sum(map(bool, makers.values())) >= 4) == ({}, True)
