"""The traceback that a job's error repeats, out of what a replica wrote to its error stream."""

import pytest

from vertex_jobs.emulator.controllers.last_words import LastWords

BEGINS = "Traceback (most recent call last):"
FRAME = ['  File "/job/task.py", line 7, in main', "    train(data)", "          ^^^^"]
ERROR = "ValueError: no data"


def traceback_of(*lines: str) -> str:
    words = LastWords()
    for line in lines:
        words.note(line)
    return words.traceback


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        (("a line",), ()),
        ((BEGINS, *FRAME, ERROR), (BEGINS, *FRAME, ERROR)),
        (("before", BEGINS, *FRAME, ERROR, "Command returned 1."), (BEGINS, *FRAME, ERROR)),
        ((BEGINS, *FRAME, ERROR, "", "During …", "", BEGINS, "KeyError"), (BEGINS, "KeyError")),
        ((BEGINS, *FRAME), ()),
        ((BEGINS, *FRAME, ERROR, *["it goes on"] * 11), ()),
    ],
    ids=["none", "one", "lines after", "the last of a chain", "cut off", "survived"],
)
def test_which_traceback_is_shown(lines: tuple[str, ...], shown: tuple[str, ...]) -> None:
    assert traceback_of(*lines) == "\n".join(shown)


def test_the_last_frames_of_a_long_one_are_kept() -> None:
    """Source: GoogleCloudPlatform/vertex-ai-samples pull request 1504, where ``[...]`` stands."""
    lines = traceback_of(BEGINS, *FRAME * 40, ERROR).split("\n")
    kept = (len(lines) - 3) // len(FRAME)
    assert (lines[:2], lines[2:-1], lines[-1]) == ([BEGINS, "  [...]"], FRAME * kept, ERROR)
    assert 2048 - 100 < len("\n".join(FRAME * kept)) <= 2048
