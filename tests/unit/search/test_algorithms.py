"""The choice of an algorithm, and the cost of importing the package."""

import subprocess
import sys

import pytest

from vertex_jobs.search import Parameter, Space, algorithm

LINE = Space((Parameter("x", "double", 0, 1),))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("bayes", LINE, (True,), 0), "'bayes': is unknown; use grid, random or gaussian_process"),
        (("random", LINE, (), 0), "a study needs a metric; give one flag for each"),
        (("random", LINE, (True,), -1), "seed -1: must not be negative; use 0 or more"),
    ],
)
def test_an_impossible_choice_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        algorithm(*arguments)


def test_importing_the_search_loads_nothing_heavy():
    code = (
        "import sys, vertex_jobs.search; "
        "print([name for name in ('numpy', 'scipy', 'grpc', 'tensorflow') if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True
    )
    assert result.stdout == "[]\n"
