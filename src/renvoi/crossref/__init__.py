"""Job 1, statutes: a corpus with its links > a benchmark of questions that can only be answered through a reference.

candidates > write > leak > filter > assure > assemble; `build.py` shows the whole job on one page.
"""
