"""Which lines of a failed program's log are shown, and whose code was last."""

from vertex_jobs.client.log_lines import LogEntry
from vertex_jobs.client.tracebacks import own_frame, telling_lines

BEGINS = "Traceback (most recent call last):"
TASK = "/w/vertex_jobs_task_0a1b2c"
FRAMES = [
    '  File "<frozen runpy>", line 198, in _run_module_as_main',
    f'  File "{TASK}/__main__.py", line 30, in <module>',
    f'  File "{TASK}/trainer/train.py", line 12, in main',
    '    fit(steps=int("x"))',
    '  File "/usr/lib/python3.11/site-packages/keras/fit.py", line 7, in fit',
    "    raise ValueError(steps)",
]


def entries(*texts, replica="workerpool0-0"):
    return [LogEntry("", "ERROR", replica, text, str(n), "7") for n, text in enumerate(texts)]


class TestLines:
    def test_a_traceback_is_whole_however_long(self):
        deep = [f'  File "/a.py", line {n}, in f' for n in range(40)]
        log = entries("epoch 1", BEGINS, *deep, "ValueError: x")
        assert telling_lines(log, "workerpool0-0") == (BEGINS, *deep, "ValueError: x")

    def test_the_cause_of_an_exception_belongs_to_it(self):
        joint = "The above exception was the direct cause of the following exception:"
        chain = (BEGINS, "KeyError: 'x'", "", joint, "", BEGINS, "RuntimeError: y")
        assert telling_lines(entries("epoch 1", *chain), "workerpool0-0") == chain

    def test_an_earlier_traceback_that_was_handled_does_not(self):
        log = entries(BEGINS, "KeyError: 'x'", "went on", BEGINS, "RuntimeError: y")
        assert telling_lines(log, "workerpool0-0") == (BEGINS, "RuntimeError: y")

    def test_without_one_the_last_ten_are_shown(self):
        log = entries(*(f"epoch {n}" for n in range(30)))
        assert telling_lines(log, "")[0] == "epoch 20"

    def test_of_unnamed_replicas_the_first_that_raised_is_shown(self):
        log = [
            *entries(BEGINS, "ValueError: x", replica="workerpool1-0"),
            *entries("lost worker 1", BEGINS, "ConnectionError: y"),
        ]
        assert telling_lines(log, "") == (BEGINS, "ValueError: x")


class TestOwnFrame:
    def test_it_is_the_last_one_that_is_neither_pythons_nor_a_librarys(self):
        assert own_frame([BEGINS, *FRAMES]) == "trainer/train.py, line 12, in main"

    def test_there_may_be_none(self):
        assert own_frame(["Killed"]) == ""
