"""Sentences on a screen break at words; everywhere else they are as they were written."""

import contextlib
import os

from vertex_jobs.cli.terminal import print_prose

TEXT = "warning  one two three\n    four five six seven"


def test_a_screen_breaks_lines_at_words_below_their_indent(monkeypatch):
    seen, shown = os.openpty()
    monkeypatch.setenv("COLUMNS", "16")
    with open(shown, "w") as screen, contextlib.redirect_stdout(screen):
        print_prose(TEXT, hang=2)
        lines = os.read(seen, 4096).decode().splitlines()
    os.close(seen)
    assert lines == ["warning  one two", "  three", "    four five", "      six seven"]


def test_elsewhere_nothing_is_broken(capsys):
    print_prose(TEXT, hang=2)
    assert capsys.readouterr().out == f"{TEXT}\n"
