"""Which notebooks are run, by rules alone: nobody picks."""

import re
from dataclasses import dataclass
from pathlib import Path

from notebook_slices import NAMING, Slice, slice_of
from notebook_sources import Notebook, repositories

#: Left out, by path, and why.
LEFT_OUT = (
    (
        re.compile(r"/model_garden/"),
        "Model Garden: images of Google's own that serve and tune large models on GPUs and TPUs",
    ),
)
#: Of all that match, every how many-th is run, and of these every third was kept unseen while
#: faults were mended.
STRIDE = 2
_UNSEEN_STRIDE = 3


@dataclass(frozen=True)
class Chosen:
    """A notebook to run, what of it, and whether it was kept unseen."""

    notebook: Notebook
    slice: Slice
    unseen: bool


@dataclass(frozen=True)
class Selection:
    """What is run, and how many were found in all."""

    chosen: tuple[Chosen, ...]
    found: int


def select(folder: Path) -> Selection:
    """Return the notebooks of a folder of repositories that are run, by repository and path."""
    matching = []
    for repository in repositories(folder):
        notebooks = list(repository.notebooks(NAMING))
        paths = {notebook.path for notebook in notebooks}
        for notebook in notebooks:
            solution = notebook.path.replace("/labs/", "/solutions/")
            is_exercise = solution != notebook.path and solution in paths
            if is_exercise or any(rule.search(notebook.path) for rule, _ in LEFT_OUT):
                continue
            if sliced := slice_of(notebook.cells):
                matching.append((notebook, sliced))
    chosen = [
        Chosen(notebook, sliced, unseen=number % _UNSEEN_STRIDE == _UNSEEN_STRIDE - 1)
        for number, (notebook, sliced) in enumerate(matching[::STRIDE])
    ]
    return Selection(tuple(chosen), len(matching))
