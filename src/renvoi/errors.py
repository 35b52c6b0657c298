"""The errors a caller may want to tell apart.

RenvoiError                 the root; the command line prints it as one line and exits with 1
├─ BadInput                 a file or folder is at fault: what, where (file, provision, line), what to do
│  ├─ UnknownFormat         no source recognises the bytes
│  ├─ EmptyAct              a document without a provision, or an operative provision without text
│  └─ DuplicateProvision    two provisions of one document have the same path
├─ OutputExists             the output is there and `--force` was not given
├─ UnknownName              a shelf holds no such file (model, measure, source …)
├─ MissingDependency        an optional package is not installed
├─ MissingModel             model weights are not on this machine
└─ Mismatch                 an index, run or benchmark was made from something else
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path


class RenvoiError(Exception):
    """Something the user can act on. Its message is one line."""


class BadInput(RenvoiError):
    """An input file or folder is at fault."""

    def __init__(self, where: str | Path, what: str, advice: str = "") -> None:
        self.where = str(where)
        self.what = what
        self.advice = advice
        super().__init__(f"{where}: {what}" + (f"; {advice}" if advice else ""))


class UnknownFormat(BadInput):
    """No source recognises the bytes."""


class EmptyAct(BadInput):
    """A document has no provision, or an operative provision has no text."""


class DuplicateProvision(BadInput):
    """Two provisions of one document have the same path."""


class OutputExists(RenvoiError):
    """The output exists already."""

    def __init__(self, path: str | Path) -> None:
        super().__init__(f"{path} exists already; give --force to replace it, or another -o")


class UnknownName(RenvoiError):
    """A shelf holds no such file."""

    def __init__(self, shelf: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        close = get_close_matches(name, names, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(names)}"
        super().__init__(f"no {shelf.rstrip('s')} is named {name!r}; {hint}")


class MissingDependency(RenvoiError):
    """An optional package is not installed."""

    def __init__(self, needed_by: str, package: str, extra: str) -> None:
        super().__init__(f"{needed_by} needs the package {package!r}; install it with: pip install 'renvoi[{extra}]'")


class MissingModel(RenvoiError):
    """Model weights are not on this machine."""

    def __init__(self, name: str, command: str = "") -> None:
        super().__init__(
            f"the model {name!r} is not on this machine; give a folder that holds it, or download it once while online"
            + (f": {command}" if command else "")
        )


class Mismatch(RenvoiError):
    """An index, run or benchmark was made from something else."""
