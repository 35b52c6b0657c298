"""Answers <-> a database: SQLite in a file, or PostgreSQL by URL, through the same statements.

An answer is an entry in a log; what counts is the last entry not taken back. So undo is exact, and every entry is on
disk before its key press is confirmed.

    items    position, query_id, fingerprint   what is reviewed, fixed when the review begins
    entries  seq, reviewer, query_id, field, value, at, undone
    facts    name, value                       n, seed; "closed" once adjudication has begun
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from renvoi.errors import BadInput, Mismatch, MissingDependency, RenvoiError
from renvoi.review.sample import LABELS, Item, criteria_of, fingerprint, items_of, sample_items
from renvoi.types import Benchmark

ADJUDICATOR = "adjudicated"  # the reviewer whose answers are final
NOTE = "note"

_TABLES = (
    "CREATE TABLE IF NOT EXISTS items (position INTEGER PRIMARY KEY, query_id TEXT UNIQUE NOT NULL,"
    " fingerprint TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS entries (seq {serial}, reviewer TEXT NOT NULL, query_id TEXT NOT NULL,"
    " field TEXT NOT NULL, value TEXT NOT NULL, at TEXT NOT NULL, undone INTEGER NOT NULL DEFAULT 0)",
    "CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
)

Answers = dict[str, dict[str, str]]  # query id > field > value, empty values left out


class Closed(RenvoiError):
    """The review is not open for this: adjudication has begun, or cannot begin yet."""


class ReviewStore:
    """The one way to read and write a review. Made by `open_review`."""

    def __init__(self, where: str, items: Sequence[Item], criteria: Mapping[str, str]) -> None:
        self._where = where
        self.items = tuple(items)
        self.criteria = criteria
        self.fields = frozenset([*criteria, *(f"label:{label}" for label in LABELS), NOTE])
        self._ids = frozenset(item.query_id for item in items)

    def answer(self, reviewer: str, query_id: str, field: str, value: str) -> None:
        """Keep one answer. It is on disk when this returns.

        Args:
            reviewer: who says so.
            query_id: of an item of this review.
            field: a criterion, "label:NAME" or "note".
            value: "yes", "no" or "" (not answered); for a note, its text.

        Raises:
            BadInput: there is no such item or field, or the value is not one of them.
            Closed: adjudication has begun, or has not yet.
        """
        with self._transaction() as run:
            self._write(run, reviewer, query_id, field, value)

    def merge(self, rows: Sequence[tuple[str, str, str, str]], *, force: bool = False) -> int:
        """Keep many answers or none, and return how many were new.

        Args:
            rows: reviewer, query id, field, value. Empty values change nothing.
            force: replace answers that are here and differ.

        Raises:
            Mismatch: an answer is here and differs, and `force` is not given.
        """
        with self._transaction() as run:
            held = {reviewer: self._answers(run, reviewer) for reviewer in {row[0] for row in rows}}
            kept = [r for r in rows if r[3] and held[r[0]].get(r[1], {}).get(r[2], "") != r[3]]
            differing = [r for r in kept if r[2] in held[r[0]].get(r[1], {})]
            if differing and not force:
                who, query_id, field, value = differing[0]
                raise Mismatch(
                    f"{len(differing)} answers are here already and differ (first: {who} on {query_id}, {field}: "
                    f"{held[who][query_id][field]!r} here, {value!r} there); give --force to replace them"
                )
            for row in kept:
                self._write(run, *row, imported=True)
            if any(row[0] == ADJUDICATOR for row in kept) and not self._is_closed(run):
                run("INSERT INTO facts (name, value) VALUES (?, ?)", "closed", _now())
            return len(kept)

    def undo(self, reviewer: str) -> tuple[str, str] | None:
        """Take back the reviewer's last answer; return its query id and field, or None where nothing is left.

        Raises:
            Closed: adjudication has begun.
        """
        with self._transaction() as run:
            self._check_open(run, reviewer)
            last = run(
                "SELECT seq, query_id, field FROM entries WHERE reviewer = ? AND undone = 0 ORDER BY seq DESC LIMIT 1",
                reviewer,
            )
            if not last:
                return None
            run("UPDATE entries SET undone = 1 WHERE seq = ?", last[0][0])
            return last[0][1], last[0][2]

    def answers(self, reviewer: str) -> Answers:
        """Return what one reviewer has answered."""
        with self._transaction() as run:
            return self._answers(run, reviewer)

    def reviewers(self) -> list[str]:
        """Return who has answered anything, by name, without the adjudicator."""
        with self._transaction() as run:
            names = [row[0] for row in run("SELECT DISTINCT reviewer FROM entries WHERE undone = 0")]
        return sorted(name for name in names if name != ADJUDICATOR)

    def progress(self) -> dict[str, int]:
        """Return how many items each reviewer has answered in full."""
        return {name: sum(map(self.is_done, self.answers(name).values())) for name in self.reviewers()}

    def is_done(self, answers: Mapping[str, str]) -> bool:
        """Return whether every criterion of an item is answered."""
        return all(answers.get(name) for name in self.criteria)

    def is_closed(self) -> bool:
        """Return whether adjudication has begun."""
        with self._transaction() as run:
            return self._is_closed(run)

    def is_ready(self) -> bool:
        """Return whether two reviewers are through, so that adjudication may begin."""
        return sum(done == len(self.items) for done in self.progress().values()) >= 2

    def close(self) -> None:
        """Begin adjudication. From now on reviewers can change nothing, since their answers are shown.

        Raises:
            Closed: fewer than two reviewers are through.
        """
        if not self.is_ready():
            raise Closed("adjudication begins when two reviewers have answered every item")
        with self._transaction() as run:
            if not self._is_closed(run):
                run("INSERT INTO facts (name, value) VALUES (?, ?)", "closed", _now())

    def _write(
        self, run: _Run, reviewer: str, query_id: str, field: str, value: str, *, imported: bool = False
    ) -> None:
        if not reviewer.strip():
            raise BadInput("the review", "an answer has no reviewer", "give a name")
        if query_id not in self._ids:
            raise BadInput(query_id, "is not an item of this review", "see them with --export")
        if field not in self.fields:
            raise BadInput(field, "is neither a criterion nor a label", f"there are: {', '.join(sorted(self.fields))}")
        value = value.replace("\0", "").encode("utf-8", "replace").decode()  # what no database takes
        allowed = ("yes", "no", "") if field in self.criteria else ("yes", "")
        if field != NOTE and value not in allowed:
            raise BadInput(query_id, f"{field} is {value!r}", f"it may be one of {', '.join(map(repr, allowed))}")
        if not imported:
            self._check_open(run, reviewer)
        last = run(
            "SELECT seq, query_id, field, value FROM entries WHERE reviewer = ? AND undone = 0"
            " ORDER BY seq DESC LIMIT 1",
            reviewer,
        )
        current = self._current(run, reviewer, query_id, field)
        if current == value:
            return
        if field == NOTE and value and last and last[0][1:3] == (query_id, NOTE) and last[0][3]:
            # A note grows with every key; one undo takes it back as a whole.
            run("UPDATE entries SET value = ?, at = ? WHERE seq = ?", value, _now(), last[0][0])
            return
        run(
            "INSERT INTO entries (reviewer, query_id, field, value, at) VALUES (?, ?, ?, ?, ?)",
            reviewer, query_id, field, value, _now(),
        )  # fmt: skip

    def _check_open(self, run: _Run, reviewer: str) -> None:
        closed = self._is_closed(run)
        if closed and reviewer != ADJUDICATOR:
            raise Closed("adjudication has begun: the reviewers' answers can no longer be changed")
        if not closed and reviewer == ADJUDICATOR:
            raise Closed(f"{ADJUDICATOR!r} is kept for adjudication, which has not begun; take another name")

    @staticmethod
    def _is_closed(run: _Run) -> bool:
        return bool(run("SELECT value FROM facts WHERE name = ?", "closed"))

    @staticmethod
    def _current(run: _Run, reviewer: str, query_id: str, field: str) -> str:
        rows = run(
            "SELECT value FROM entries WHERE reviewer = ? AND query_id = ? AND field = ? AND undone = 0"
            " ORDER BY seq DESC LIMIT 1",
            reviewer, query_id, field,
        )  # fmt: skip
        return str(rows[0][0]) if rows else ""

    @staticmethod
    def _answers(run: _Run, reviewer: str) -> Answers:
        found: Answers = {}
        rows = run(
            "SELECT query_id, field, value FROM entries WHERE reviewer = ? AND undone = 0 ORDER BY seq", reviewer
        )
        for query_id, field, value in rows:
            found.setdefault(query_id, {})[field] = value
        return {q: kept for q, fields in found.items() if (kept := {f: v for f, v in fields.items() if v})}

    def _transaction(self) -> AbstractContextManager[_Run]:
        return _transaction(self._where)


def open_review(
    where: str | Path,
    bench: Benchmark,
    *,
    n: int | None = None,
    seed: int | None = None,
    query_ids: Sequence[str] | None = None,
) -> ReviewStore:
    """Return the review kept in `where`; begin it if there is none.

    Args:
        where: a file for SQLite, or a URL that begins with postgresql:// (one database or schema a review).
        bench: what is reviewed.
        n: items an act, 4 where the review begins. Later it must be left out or the same.
        seed: of the draw, 0 where the review begins. Later it must be left out or the same.
        query_ids: begin the review with these instead of a draw.

    Raises:
        Mismatch: the review is of other items, or of items that have changed since.
    """
    address = str(where)
    with _transaction(address) as run:
        for statement in _TABLES:
            run(statement.format(serial=_serial(address)))
        if not run("SELECT position FROM items LIMIT 1"):
            drawn = sample_items(bench, n=n or 4, seed=seed or 0) if query_ids is None else items_of(bench, query_ids)
            for position, item in enumerate(drawn):
                run("INSERT INTO items VALUES (?, ?, ?)", position, item.query_id, fingerprint(item))
            if query_ids is None:
                run("INSERT INTO facts VALUES (?, ?)", "n", str(n or 4))
                run("INSERT INTO facts VALUES (?, ?)", "seed", str(seed or 0))
        rows = run("SELECT query_id, fingerprint FROM items ORDER BY position")
        facts = dict(run("SELECT name, value FROM facts"))
    for name, value in (("n", n), ("seed", seed)):
        if value is not None and facts.get(name) != str(value):
            raise Mismatch(
                f"this review began with {name} {facts.get(name, 'unknown')}, not {value}; leave --{name} out, "
                "or begin another with --db"
            )
    known = {query.id for query in bench.queries}
    items = items_of(bench, [row[0] for row in rows if row[0] in known])
    prints = {item.query_id: fingerprint(item) for item in items}
    changed = sum(prints.get(query_id) != held for query_id, held in rows)
    if changed:
        raise Mismatch(
            f"{changed} of {len(rows)} items are no longer what the reviewers saw; "
            "take the benchmark that the review began with, or begin another with --db"
        )
    return ReviewStore(address, items, criteria_of(bench))


class _Run:
    """Runs one statement with `?` for values, and returns its rows."""

    def __init__(self, cursor: Any, mark: str) -> None:
        self._cursor = cursor
        self._mark = mark

    def __call__(self, statement: str, *values: object) -> list[Any]:
        self._cursor.execute(statement.replace("?", self._mark), values)
        return list(self._cursor.fetchall()) if self._cursor.description else []


@contextmanager
def _transaction(where: str) -> Iterator[_Run]:
    """Yield a runner whose statements are kept together, or not at all where the block fails."""
    if _is_postgres(where):
        try:
            import psycopg
        except ImportError:
            raise MissingDependency("a review in PostgreSQL", "psycopg", "postgres") from None
        try:
            connection = psycopg.connect(where)
        except psycopg.OperationalError as error:  # its text may name host and user, never the password
            raise BadInput("the review's database", str(error).splitlines()[0], "check the URL") from None
        with connection, connection.cursor() as cursor:
            # One writer at a time, as SQLite has it: a note's two last keys must not both add an entry.
            cursor.execute("SELECT pg_advisory_xact_lock(7365)")
            yield _Run(cursor, "%s")
        return
    try:
        with closing(sqlite3.connect(where, timeout=30, isolation_level=None)) as file:
            file.execute("PRAGMA synchronous = FULL")
            file.execute("BEGIN IMMEDIATE")
            try:
                yield _Run(file.cursor(), "?")
            except BaseException:
                file.rollback()
                raise
            file.commit()
    except sqlite3.Error as error:
        raise BadInput(where, f"cannot be used as a review ({error})", "give another --db") from None


def _is_postgres(where: str) -> bool:
    return where.startswith(("postgresql://", "postgres://"))


def _serial(where: str) -> str:
    return (
        "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
        if _is_postgres(where)
        else "INTEGER PRIMARY KEY AUTOINCREMENT"
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
