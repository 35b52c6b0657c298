"""One way to ask a server: slowly, again after a failure, and never half an answer."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

import httpx

from renvoi.errors import BadInput, RenvoiError
from renvoi.fetchers import Fetcher, Wanted
from renvoi.store.manifest import renvoi_version

_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
_NOT_THERE = frozenset({404, 406, 410})
_LONGEST_WAIT_S = 120.0


class NotThere(RenvoiError):
    """The server answers that it does not have what was asked for."""


class Unreachable(RenvoiError):
    """A server did not answer, however often it was asked."""


@dataclass(slots=True)
class Polite:
    """A client that waits between requests and tries again after failures."""

    http: httpx.Client
    pause_s: float = 1.0  # between the starts of two requests
    tries: int = 5
    backoff_s: float = 2.0  # before the second try; doubled before each further one
    sleep: Callable[[float], None] = time.sleep
    _last: float = field(default=-1e9)

    def get(self, url: str, headers: dict[str, str]) -> httpx.Response:
        """Return the whole answer to a request.

        Raises:
            NotThere: the server has no such thing.
            Unreachable: it failed `tries` times, or refuses for good.
        """
        why, wait = "", 0.0
        for attempt in range(self.tries):
            if attempt:
                self.sleep(wait)
            self._pause()
            wait = min(self.backoff_s * 2**attempt, _LONGEST_WAIT_S)
            try:
                answer = self.http.get(url, headers=headers)
            except httpx.TransportError as error:  # timeouts, broken connections, half bodies
                why = f"{type(error).__name__} {error}".strip()
                continue
            if answer.status_code in _NOT_THERE:
                raise NotThere(f"{url}: the server has no such document ({answer.status_code})")
            if answer.status_code == 200:
                return answer
            why = f"status {answer.status_code}"
            if answer.status_code not in _AGAIN:
                break
            wait = min(_retry_after(answer) or wait, _LONGEST_WAIT_S)
        raise Unreachable(f"{url}: {' '.join(why.split())}; try again later, what was fetched is kept")

    def _pause(self) -> None:
        rest = self._last + self.pause_s - time.monotonic()
        if rest > 0:
            self.sleep(rest)
        self._last = time.monotonic()


@contextmanager
def polite(*, pause_s: float = 1.0, timeout_s: float = 30.0) -> Iterator[Polite]:
    """Yield a client that says who it is."""
    agent = f"renvoi/{renvoi_version()} (research on references in law)"
    with httpx.Client(timeout=timeout_s, follow_redirects=True, headers={"User-Agent": agent}) as http:
        yield Polite(http, pause_s)


@dataclass(frozen=True, slots=True)
class Fetched:
    """What became of one identifier."""

    id: str
    files: tuple[Path, ...]
    state: str  # "fetched", "kept" (was there already), "failed"
    line: str = ""  # why it failed


def fetch_one(
    client: Polite, fetcher: Fetcher, id: str, folder: Path, *, language: str, format: str, base: str
) -> Fetched:
    """Fetch the files of one identifier into a folder, unless they are there whole.

    Beside each file `x` stands `x.fetched.json`: address, time, content type, SHA-256, bytes.
    """
    files: list[Path] = []
    fresh = False
    try:
        for alternatives in fetcher.wanted(base, id, language, format):
            kept = next((folder / w.name for w in alternatives if is_whole(folder / w.name)), None)
            if kept is None:
                kept = _fetch_first(client, fetcher, alternatives, folder)
                fresh = True
            files.append(kept)
    except (NotThere, Unreachable, BadInput) as error:
        return Fetched(id, tuple(files), "failed", " ".join(str(error).split()))
    return Fetched(id, tuple(files), "fetched" if fresh else "kept")


def is_whole(path: Path) -> bool:
    """Say whether a file is there with the hash that was noted when it was fetched."""
    note = _note(path)
    if not path.exists() or not note.exists():
        return False
    try:
        said = json.loads(note.read_text(encoding="utf-8"))["sha256"]
    except (ValueError, KeyError):
        return False
    return bool(said == hashlib.sha256(path.read_bytes()).hexdigest())


def _fetch_first(client: Polite, fetcher: Fetcher, alternatives: Sequence[Wanted], folder: Path) -> Path:
    for n, wanted in enumerate(alternatives):
        try:
            answer = client.get(wanted.url, wanted.headers)
            reason = fetcher.refuses(answer.content)
            if reason:
                raise NotThere(f"{wanted.url}: {reason}")
        except NotThere:
            if n + 1 == len(alternatives):
                raise
            continue
        return _save(folder / wanted.name, wanted, answer)
    raise AssertionError("no alternative was given")


def _save(path: Path, wanted: Wanted, answer: httpx.Response) -> Path:
    note = {
        "url": wanted.url,
        "final_url": str(answer.url),
        "headers": wanted.headers,
        "content_type": answer.headers.get("content-type", ""),
        "fetched": datetime.now(UTC).isoformat(timespec="seconds"),
        "sha256": hashlib.sha256(answer.content).hexdigest(),
        "bytes": len(answer.content),
    }
    _write_whole(path, answer.content)
    _write_whole(_note(path), (json.dumps(note, indent=1, ensure_ascii=False) + "\n").encode())
    return path


def _note(path: Path) -> Path:
    return path.with_name(path.name + ".fetched.json")


def _write_whole(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _retry_after(answer: httpx.Response) -> float | None:
    """Return the seconds that `Retry-After` asks for, a number or a date."""
    said = answer.headers.get("retry-after", "")
    if said.isdigit():
        return float(said)
    try:
        return max(0.0, (parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None
