"""A package's requirements beside what a job brings and what is installed here."""

import pydantic
import pytest

from vertex_jobs.emulator.replicas.package_requirements import Comparison, compare


@pytest.mark.parametrize(
    ("requirement", "brought", "expected"),
    [
        ("pydantic>=1", {}, Comparison([], [])),
        ("pydantic<1", {}, Comparison([], [f"pydantic<1 (here {pydantic.VERSION})"])),
        ("Surely_Absent>2", {}, Comparison(["Surely_Absent>2"], [])),
        ("Surely_Absent>2", {"surely-absent": "3"}, Comparison([], [])),
        (
            "Surely_Absent>2",
            {"surely-absent": "1"},
            Comparison([], ["Surely_Absent>2 (here 1)"]),
        ),
        ("surely-absent>2", {"surely-absent": ""}, Comparison([], [])),
        ("surely-absent; python_version < '3'", {}, Comparison([], [])),
    ],
)
def test_a_requirement(requirement: str, brought: dict[str, str], expected: Comparison) -> None:
    assert compare([requirement], brought) == expected
