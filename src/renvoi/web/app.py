"""The page and the JSON API as an application."""

# Annotations are not postponed here: fastapi reads them, and those of the endpoints stand on names of `make_app`.
import html
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from renvoi.errors import BadInput, MissingDependency, UnknownName
from renvoi.local_page import HOST, make_local_app
from renvoi.store.manifest import renvoi_version
from renvoi.web.paste import MOST_CHARACTERS
from renvoi.web.service import Service

if TYPE_CHECKING:
    from fastapi import FastAPI

WHAT = "the search page"
_FOLDER = Path(__file__).parent
_LONGEST_QUESTION = 5000


def make_app(service: Service, *, host: str = HOST) -> "FastAPI":
    """Return the page at "/", the API under "/api/", its description at "/api" and "/api/openapi.json".

    Raises:
        MissingDependency: fastapi is not installed.
    """
    app = make_local_app(WHAT, read_page(), host=host, title="renvoi", version=renvoi_version())
    try:
        from fastapi import Body, Query
        from fastapi.responses import HTMLResponse, JSONResponse
    except ImportError:
        raise MissingDependency(WHAT, "fastapi", "web") from None
    Id = Annotated[str, Query(max_length=300, description="Of a provision, or of a whole act or judgment.")]  # noqa: N806

    @app.get("/api/about", summary="What is served: counts, documents, jurisdictions.")
    def about() -> dict[str, Any]:
        return service.about()

    @app.get("/api/search", summary="The best provisions for a question, with why each was found.")
    def search(
        q: Annotated[str, Query(min_length=1, max_length=_LONGEST_QUESTION, description="Any text.")],
        k: Annotated[int, Query(ge=1, le=100, description="How many.")] = 10,
        model: Annotated[str, Query(max_length=200, description="As for `renvoi search`.")] = "renvoi",
        document: Annotated[list[str] | None, Query(description="Only in this act or judgment; repeatable.")] = None,
        before: Annotated[date | None, Query(description="Only what is older than this day.")] = None,
    ) -> dict[str, Any]:
        if not q.strip():
            raise BadInput("q", "the question is empty")
        return service.search(q, k, model, document, before)

    @app.get("/api/provision", summary="A provision with what is above and inside it, and its references resolved.")
    def provision(id: Id, most: Annotated[int, Query(ge=1, le=5000, description="Parts inside it.")] = 200) -> Any:
        try:
            return service.provision(id, most)
        except BadInput as error:
            return JSONResponse({"error": str(error)}, status_code=404)

    @app.get("/api/cited_by", summary="Who cites a provision, or something inside it: the first 50.")
    def cited_by(id: Id) -> Any:
        try:
            return service.cited_by(id)
        except BadInput as error:
            return JSONResponse({"error": str(error)}, status_code=404)

    @app.post("/api/citations", summary="The references in a text, each with what it reaches or the reason why not.")
    def citations(
        text: Annotated[str, Body(description=f"At most {MOST_CHARACTERS} characters.")],
        jurisdiction: Annotated[str, Body(description="Whose way of citing: da, pl, eu, cjeu, de, uk.", max_length=40)],
        document: Annotated[
            str | None, Body(description="The act it is from, for references that name none.", max_length=300)
        ] = None,
    ) -> Any:
        if len(text) > MOST_CHARACTERS:
            line = f"the text has {len(text)} characters; at most {MOST_CHARACTERS} are read at once"
            return JSONResponse({"error": line}, status_code=413)
        try:
            return service.citations(text, jurisdiction, document or None)
        except (BadInput, UnknownName) as error:
            return JSONResponse({"error": str(error)}, status_code=422)

    @app.get("/api/openapi.json", include_in_schema=False)
    def schema() -> dict[str, Any]:
        return app.openapi()

    @app.get("/api", response_class=HTMLResponse, include_in_schema=False)
    def description() -> str:
        return describe_api(app.openapi())

    return app


def read_page() -> str:
    """Return the page with its style and script inside it."""
    page = (_FOLDER / "page.html").read_text(encoding="utf-8")
    style, script = ((_FOLDER / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    return page.replace("/*style*/", style).replace("/*script*/", script)


def describe_api(schema: Mapping[str, Any]) -> str:
    """Return a page that says what each path of the API takes. It needs no other file, so it works offline."""
    parts = []
    for path, methods in schema["paths"].items():
        for method, about in methods.items():
            rows = [(one["name"], one["required"], one.get("description", "")) for one in about.get("parameters", ())]
            body = about.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            if "$ref" in body:
                body = schema["components"]["schemas"][body["$ref"].rpartition("/")[2]]
            rows += [
                (name, name in body.get("required", ()), one.get("description", ""))
                for name, one in body.get("properties", {}).items()
            ]
            listed = "".join(
                f"<tr><td><code>{html.escape(name)}</code></td><td>{'needed' if needed else ''}</td>"
                f"<td>{html.escape(text)}</td></tr>"
                for name, needed, text in rows
            )
            parts.append(
                f"<h2><code>{method.upper()} {html.escape(path)}</code></h2><p>{html.escape(about['summary'])}</p>"
                f"<table>{listed}</table>"
            )
    style = (_FOLDER / "page.css").read_text(encoding="utf-8")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
        'content="width=device-width, initial-scale=1"><title>renvoi: the API</title><link rel="icon" href="data:,">'
        f'<style>{style}</style></head><body><main class="api"><p><a href="/">Renvoi</a></p><h1>The JSON API</h1>'
        "<p>Errors are one line: <code>{&quot;error&quot;: &quot;…&quot;}</code>. As OpenAPI: "
        f'<a href="/api/openapi.json">/api/openapi.json</a></p>{"".join(parts)}</main></body></html>'
    )
