"""A study as one HTML file that opens anywhere, without a network.

For the verb ``report`` and for whoever wants to show a study to somebody without a Python. Charts
are plain data for plotly's JavaScript, which stands in the file.
"""

from vertex_jobs.study.report.page import report_html

__all__ = ["report_html"]
