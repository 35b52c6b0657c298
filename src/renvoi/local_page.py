"""A page on this machine: one way to serve it, for review and search. The browser asks no other host for anything."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from renvoi.errors import BadInput, MissingDependency, RenvoiError

if TYPE_CHECKING:
    from fastapi import FastAPI

HOST = "127.0.0.1"
MOST_BYTES = 1_000_000  # of a request
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def make_local_app(
    what: str, page: str, *, host: str = HOST, status: Callable[[RenvoiError], int] = lambda error: 422, **about: Any
) -> FastAPI:
    """Return an application that serves a page at "/" and answers whatever goes wrong with one line of JSON.

    Args:
        what: asks for it, in the message if fastapi is missing: "the review page".
        page: HTML that needs no other file.
        host: that it is served at; with another than this machine's own, requests under any name are answered.
        status: the HTTP status of an error.
        about: further arguments of FastAPI, such as its title.

    Raises:
        MissingDependency: fastapi is not installed.
    """
    try:
        from fastapi import FastAPI
        from fastapi.exceptions import RequestValidationError
        from fastapi.middleware.trustedhost import TrustedHostMiddleware
        from fastapi.responses import HTMLResponse, JSONResponse
        from starlette.exceptions import HTTPException
    except ImportError:
        raise MissingDependency(what, "fastapi", "web") from None
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, **about)
    # A page elsewhere that a name service points here is refused.
    names = [HOST, "localhost"] if host in (HOST, "localhost") else ["*"]
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=names)

    def refuse(line: str, code: int) -> Any:
        return JSONResponse({"error": " ".join(line.split())}, status_code=code, headers=_HEADERS)

    @app.middleware("http")
    async def _guard(request: Any, go_on: Any) -> Any:
        if request.method == "POST":
            # Forms of other sites cannot send JSON without being asked first.
            kind = request.headers.get("content-type", "")
            if kind.split(";")[0].strip() != "application/json":
                return refuse("send JSON", 415)
            length = request.headers.get("content-length", "")
            if not length.isdigit():
                return refuse("say how long the request is (Content-Length)", 411)
            if int(length) > MOST_BYTES:
                return refuse(f"the request has {length} bytes, at most {MOST_BYTES} are read", 413)
        response = await go_on(request)
        response.headers.update(_HEADERS)
        return response

    @app.exception_handler(RenvoiError)
    async def _refuse(request: Any, error: Any) -> Any:
        return refuse(str(error), status(error))

    @app.exception_handler(RequestValidationError)
    async def _refuse_request(request: Any, error: Any) -> Any:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"][1:])
        return refuse(f"{name or 'the request'}: {first['msg']}", 422)

    @app.exception_handler(HTTPException)
    async def _refuse_path(request: Any, error: Any) -> Any:
        return refuse(f"{request.url.path}: {error.detail}", error.status_code)

    @app.get("/", response_class=HTMLResponse, include_in_schema=False)
    def _page() -> str:
        return page

    return app


def require_port(host: str, port: int) -> None:
    """Do nothing if a page can be served there.

    Raises:
        BadInput: it cannot; most often another page is.
    """
    try:
        with socket.create_server((host, port)):
            pass
    except OSError as error:
        why = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
        raise BadInput(f"{host}:{port}", f"cannot be listened at ({why})", "give another --port") from None


def serve_app(app: FastAPI, what: str, *, host: str = HOST, port: int) -> None:
    """Serve an application until interrupted.

    Raises:
        MissingDependency: uvicorn is not installed.
        BadInput: nothing can listen there; most often another page does.
    """
    try:
        import uvicorn
    except ImportError:
        raise MissingDependency(what, "uvicorn", "web") from None
    require_port(host, port)
    uvicorn.run(app, host=host, port=port, log_level="warning")
