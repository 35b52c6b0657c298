"""Every reply, kept by the name of its call in one SQLite file, before anything else is done with it."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from renvoi.errors import BadInput
from renvoi.llm.calls import Reply

_SCHEMA = """
CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, model TEXT NOT NULL, reply TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS sent (key TEXT PRIMARY KEY, at REAL NOT NULL);
"""


class ReplyCache:
    """Replies on disk. Each write is committed at once: a killed process loses none."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._db = sqlite3.connect(path, timeout=60.0, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(_SCHEMA)
        except sqlite3.DatabaseError as error:
            raise BadInput(
                path, f"is no cache of replies ({error})", "move it away, or name another with --cache"
            ) from None

    def get(self, key: str) -> Reply | None:
        """Return the reply to a call, or None."""
        row = self._db.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        return None if row is None else Reply(**json.loads(row[0]))

    def put(self, key: str, model: str, reply: Reply) -> None:
        """Keep a reply; the first one stays."""
        self._db.execute("BEGIN")
        text = json.dumps(asdict(reply), ensure_ascii=False)
        self._db.execute("INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?)", (key, model, text, time.time()))
        self._db.execute("DELETE FROM sent WHERE key = ?", (key,))
        self._db.execute("COMMIT")

    def mark_sent(self, key: str) -> None:
        """Note that a request is about to leave."""
        self._db.execute("INSERT OR REPLACE INTO sent VALUES (?, ?)", (key, time.time()))

    def mark_settled(self, keys: Iterable[str]) -> None:
        """Note that requests came to an end without a reply."""
        self._db.executemany("DELETE FROM sent WHERE key = ?", ((key,) for key in keys))

    def unsettled(self) -> int:
        """Return how many requests left and never came to an end: a server may have billed those."""
        return int(self._db.execute("SELECT count(*) FROM sent").fetchone()[0])

    def replies(self) -> Iterator[tuple[str, Reply]]:
        """Yield the model and text of every reply."""
        for model, reply in self._db.execute("SELECT model, reply FROM replies ORDER BY key"):
            yield model, Reply(**json.loads(reply))

    def __len__(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM replies").fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        self._db.close()


@contextmanager
def open_cache(path: Path) -> Iterator[ReplyCache]:
    """Open a cache for the length of a block."""
    cache = ReplyCache(path)
    try:
        yield cache
    finally:
        cache.close()
