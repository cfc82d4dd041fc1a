"""A study as one HTML file that opens anywhere, without a network.

For the verb ``report``, and for showing a study to people without Python. Charts are plain data for
plotly's JavaScript, which is part of the file.
"""

from vertex_jobs.study.report.page import report_html

__all__ = ["report_html"]
