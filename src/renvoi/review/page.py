"""The review as a web page on this machine, for keyboards. The browser asks no other host for anything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from renvoi.local_page import HOST, make_local_app, serve_app
from renvoi.review.sample import LABELS
from renvoi.review.store import ADJUDICATOR, Closed, ReviewStore

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["HOST", "make_app", "serve"]

_WHAT = "the review page"


def make_app(review: ReviewStore, name: str, reviewer: str | None = None) -> FastAPI:
    """Return the page and its data as an application.

    A reviewer is sent the items and the own answers. Others' answers are sent for adjudication only, and that begins
    when two are through and ends the reviewing.

    Args:
        review: where answers are kept.
        name: of the benchmark, for the title.
        reviewer: answer for this reviewer only; None: the page asks for a name.

    Raises:
        MissingDependency: fastapi is not installed.
    """
    page = (Path(__file__).parent / "page.html").read_text(encoding="utf-8")
    app = make_local_app(_WHAT, page, status=lambda error: 409 if isinstance(error, Closed) else 422)
    _add_data(app.get, app.post, review, name, reviewer)
    return app


def serve(review: ReviewStore, name: str, *, reviewer: str | None = None, port: int = 8765) -> None:
    """Serve the page on this machine until interrupted.

    Raises:
        MissingDependency: fastapi or uvicorn is not installed.
    """
    serve_app(make_app(review, name, reviewer), _WHAT, port=port)


def _add_data(
    get: Callable[[str], Any], post: Callable[[str], Any], review: ReviewStore, name: str, fixed: str | None
) -> None:
    def who(asked: object) -> str:
        asked = str(asked or "").strip()
        if fixed is not None and asked not in ("", fixed, ADJUDICATOR):
            raise Closed(f"this page is for {fixed!r}; start another with --reviewer {asked!r}")
        return asked or fixed or ""

    @get("/api/review")
    def _review(reviewer: str = "") -> dict[str, Any]:
        me = who(reviewer)
        said = review.answers(me) if me and me != ADJUDICATOR else {}
        return {
            "name": name,
            "reviewer": me,
            "fixed": fixed is not None,
            "criteria": [{"name": key, "text": text} for key, text in review.criteria.items()],
            "labels": [{"name": key, "text": text} for key, text in LABELS.items()],
            "items": [asdict(item) for item in review.items],
            "answers": said,
            "closed": review.is_closed(),
            "ready": review.is_ready(),
        }

    @get("/api/progress")
    def _progress() -> dict[str, Any]:
        return {
            "done": review.progress(), "total": len(review.items),
            "closed": review.is_closed(), "ready": review.is_ready(),
        }  # fmt: skip

    @post("/api/answer")
    def _answer(body: dict[str, Any]) -> dict[str, Any]:
        texts = [str(body.get(key, "")) for key in ("query_id", "field", "value")]
        review.answer(who(body.get("reviewer")), texts[0], texts[1], texts[2])
        return {"saved": True}

    @post("/api/undo")
    def _undo(body: dict[str, Any]) -> dict[str, Any]:
        me = who(body.get("reviewer"))
        undone = review.undo(me)
        if undone is None:
            return {"query_id": None}
        query_id, field = undone
        return {"query_id": query_id, "field": field, "value": review.answers(me).get(query_id, {}).get(field, "")}

    @post("/api/adjudication")
    def _adjudication(body: dict[str, Any]) -> dict[str, Any]:
        review.close()
        return {
            "answers": review.answers(ADJUDICATOR),
            "given": {reviewer: review.answers(reviewer) for reviewer in review.reviewers()},
        }
