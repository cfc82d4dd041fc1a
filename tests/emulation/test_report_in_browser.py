"""The report in a real browser that can reach no network."""

import re
import shutil
import subprocess

import pytest
from studies import tuning_job

from vertex_jobs.study import Study

pytest.importorskip("plotly", reason="the extra 'report' is not installed")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")


def browse(path, profile):
    """The page after its scripts have run, and what the console said."""
    words = [
        CHROMIUM,
        "--headless=new",
        "--no-sandbox",  # tests may run as root
        "--disable-gpu",
        "--enable-unsafe-swiftshader",  # parallel coordinates are drawn by WebGL
        "--host-resolver-rules=MAP * ~NOTFOUND",
        f"--user-data-dir={profile}",
        "--virtual-time-budget=10000",
        "--enable-logging=stderr",
        "--dump-dom",
        path.as_uri(),
    ]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True)
    said = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    # The software renderer grumbles about its own speed.
    return done.stdout, [line for line in said if "GL Driver Message" not in line]


@pytest.mark.parametrize("metrics", [("accuracy",), ("accuracy", "latency")])
def test_every_chart_is_drawn_and_the_console_is_silent(tmp_path, metrics):
    html = Study.from_resource(tuning_job(metrics=metrics)).to_html()
    path = tmp_path / "report.html"
    path.write_text(html, encoding="utf-8")
    page, console = browse(path, tmp_path / "profile")
    drawn = re.findall(r'<div id="chart-\d+"[^>]*class="js-plotly-plot"', page)
    assert (len(drawn), console) == (html.count("<div id='chart-"), [])
