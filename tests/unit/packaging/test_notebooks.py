"""The script that a notebook's cells make."""

import json
from pathlib import Path

import pytest

from vertex_jobs.errors import PackagingError
from vertex_jobs.packaging.notebooks import notebook_script
from vertex_jobs.packaging.sources import collect_script


def notebook(folder: Path, *cells: str) -> Path:
    """Write a notebook with a heading and these code cells."""
    forms: list[dict[str, object]] = [{"cell_type": "markdown", "source": ["# Title"]}]
    forms += [{"cell_type": "code", "source": text.splitlines(keepends=True)} for text in cells]
    path = folder / "train.ipynb"
    path.write_text(json.dumps({"cells": forms, "nbformat": 4}))
    return path


def script(folder: Path, *cells: str) -> str:
    return notebook_script(notebook(folder, *cells))[0].decode()


def test_every_code_cell_travels_in_order(tmp_path: Path) -> None:
    assert script(tmp_path, "a = 1", "b = a\n") == "# Cell 2.\na = 1\n\n# Cell 3.\nb = a\n"


def test_where_a_cell_is_exported_only_such_cells_travel(tmp_path: Path) -> None:
    text = script(tmp_path, "plot()", "#| export\na = 1", "# | export\nb = 2", "a + b")
    assert [line for line in text.splitlines() if "=" in line] == ["a = 1", "b = 2"]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("%matplotlib inline\na = 1", "pass  # %matplotlib inline\na = 1"),
        ("!pip install x\na = 1", "pass  # !pip install x\na = 1"),
        ("!pip install \\\n  x\na = 1", "pass  # !pip install \\\n#   x\na = 1"),
        ("if a:\n    !ls\nb = 1", "if a:\n    pass  # !ls\nb = 1"),
        (
            "try:\n    %load x\nexcept E:\n    pass",
            "try:\n    pass  # %load x\nexcept E:\n    pass",
        ),
        ("?len\nlen??\na = 1", "pass  # ?len\npass  # len??\na = 1"),
        ("a = (7\n% 4)", "a = (7\n% 4)"),
        ('a = """\n!important\n"""\n!ls', 'a = """\n!important\n"""\npass  # !ls'),
        ("a = 7 \\\n% 4", "a = 7 \\\n% 4"),
        ("%%time\na = 1", "#\na = 1"),
        ("%%bash\nrm -rf x", "# %%bash"),
    ],
    ids=[
        *("magic", "command", "continued", "indented", "in a try", "help", "modulo in brackets"),
        *("in a text", "modulo continued", "timed", "other language"),
    ],
)
def test_what_only_a_notebook_understands_stays_behind(
    tmp_path: Path, cell: str, expected: str
) -> None:
    assert script(tmp_path, cell) == f"# Cell 2.\n{expected}\n"


def test_what_stays_behind_is_noted_with_its_place(tmp_path: Path) -> None:
    left_out = notebook_script(notebook(tmp_path, "a = 1\n!pip install x", "%%html\n<b>"))[1]
    assert left_out == {
        "train.ipynb, cell 2, line 2": "!pip install x",
        "train.ipynb, cell 3": "%%html",
    }


@pytest.mark.parametrize("line", ["files = !ls", "t = %timeit -o f()", "a.b['c'] = !pwd"])
def test_a_value_of_a_magic_is_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(PackagingError, match=r"cell 2, line 2: .* takes a value from the notebook"):
        script(tmp_path, f"a = 1\n{line}")


def test_a_comparison_is_no_magic(tmp_path: Path) -> None:
    assert "a = b %c" in script(tmp_path, "a = b %c")


def test_code_that_is_not_python_names_its_cell(tmp_path: Path) -> None:
    with pytest.raises(
        PackagingError, match=r"train\.ipynb, cell 3:2: .*; it would fail at the st"
    ):
        script(tmp_path, "a = 1", "b = 2\nprint 1")


@pytest.mark.parametrize("text", ["no JSON", "{}", '{"cells": [{"source": "a"}]}'])
def test_a_file_that_is_no_notebook_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "train.ipynb"
    path.write_text(text)
    with pytest.raises(PackagingError, match="it is no notebook of format 4"):
        notebook_script(path)


def test_an_empty_notebook_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PackagingError, match="it has no code cell, so there is nothing to run"):
        script(tmp_path)


def test_siblings_of_a_notebook_travel(tmp_path: Path) -> None:
    (tmp_path / "near.py").write_text("")
    sources = collect_script(notebook(tmp_path, "import near"))
    assert (sorted(sources.contents), sources.entry) == (["near.py", "train.py"], "train.py")
