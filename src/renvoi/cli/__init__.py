"""The command line: thin readers of the package, one file a group of commands. Nothing imports it."""

from __future__ import annotations

import sys

from renvoi import registry
from renvoi.errors import RenvoiError

_INTERRUPTED = "interrupted; what was finished is kept, run the same command again to resume"


def main() -> None:
    """Run one command; exit with 0 done, 1 input at fault, 2 wrong usage, 130 interrupted."""
    from importlib import import_module

    from renvoi.cli._app import app

    for name in registry.names("cli"):
        import_module(f"renvoi.cli.{name}")  # registers its commands on `app`
    try:
        app()
    except RenvoiError as error:
        sys.exit(_fail(str(error), 1))
    except KeyboardInterrupt:
        sys.exit(_fail(_INTERRUPTED, 130))
    except SystemExit as done:
        if done.code == 130:  # typer ends so, and says nothing
            _fail(_INTERRUPTED, 130)
        raise


def _fail(message: str, code: int) -> int:
    sys.stderr.write(f"renvoi: {' '.join(message.split())}\n")
    return code
