"""Corpora, benchmarks and runs <-> files. This package alone knows how they lie on disk."""

from renvoi.store.atomic import fresh_folder, write_json, write_text
from renvoi.store.benchmark import read_benchmark, write_benchmark
from renvoi.store.corpus import corpus_from, read_corpus, write_corpus
from renvoi.store.manifest import make_manifest
from renvoi.store.trec import find_runs, read_qrels, read_run, read_run_settings, read_timings, write_qrels, write_run

__all__ = [
    "corpus_from",
    "find_runs",
    "fresh_folder",
    "make_manifest",
    "read_benchmark",
    "read_corpus",
    "read_qrels",
    "read_run",
    "read_run_settings",
    "read_timings",
    "write_benchmark",
    "write_corpus",
    "write_json",
    "write_qrels",
    "write_run",
    "write_text",
]
