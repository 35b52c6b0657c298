"""`renvoi serve`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from renvoi.cli._app import app


@app.command("serve")
def serve_command(
    source: Annotated[Path, typer.Argument(metavar="CORPUS|INDEX", help="A corpus, or an index of one.")],
    port: Annotated[int, typer.Option(help="Of the page.", min=1, max=65535)] = 8766,
    host: Annotated[
        str, typer.Option(help="Address to listen at; with another than this machine's own, others can read it too.")
    ] = "127.0.0.1",
) -> None:
    """Serve a web page and a JSON API on this machine: search, open references in place, read a pasted text.

    Example: `renvoi serve corpus --port 8766`
    """
    from renvoi.local_page import require_port, serve_app
    from renvoi.progress import say
    from renvoi.web.app import WHAT, make_app
    from renvoi.web.service import open_service

    require_port(host, port)
    service = open_service(source)
    service.get_ready()
    page = make_app(service, host=host)
    say(f"{service.name}: {service.searcher.index.n_docs} texts at http://{host}:{port} (API: /api; Ctrl-C ends)")
    serve_app(page, WHAT, host=host, port=port)
