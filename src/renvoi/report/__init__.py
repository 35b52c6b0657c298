"""A benchmark and runs on it > one self-contained HTML page."""

from renvoi.report.page import Results, evaluate_for_report, render_report

__all__ = ["Results", "evaluate_for_report", "render_report"]
