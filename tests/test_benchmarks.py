"""The scripts of benchmarks/ take hours and run nowhere else, so what they import is checked here."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

_FOLDER = Path(__file__).parent.parent / "benchmarks"
_SCRIPTS = sorted(_FOLDER.glob("*.py"))


@pytest.mark.parametrize("script", _SCRIPTS, ids=lambda script: script.stem)
def test_a_script_imports_only_names_that_are_there(script: Path) -> None:
    ours = {other.stem for other in _SCRIPTS}
    imports = [node for node in ast.walk(ast.parse(script.read_text("utf-8"))) if isinstance(node, ast.ImportFrom)]

    missing = [
        f"{node.module}.{alias.name}"
        for node in imports
        if node.module and node.module.partition(".")[0] in {"renvoi", *ours}
        for alias in node.names
        if not _holds(node.module, alias.name, ours)
    ]

    assert not missing


def _holds(module: str, name: str, ours: set[str]) -> bool:
    if module in ours:  # read, not run: it may need what is not installed
        return name in _top_level(ast.parse((_FOLDER / f"{module}.py").read_text("utf-8")))
    held = import_module(module)
    if hasattr(held, name):
        return True
    try:
        import_module(f"{module}.{name}")
    except ModuleNotFoundError:
        return False
    return True


def _top_level(tree: ast.Module) -> set[str]:
    names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    targets = [t for node in tree.body if isinstance(node, ast.Assign) for t in node.targets]
    targets += [node.target for node in tree.body if isinstance(node, ast.AnnAssign)]
    return names | {target.id for target in targets if isinstance(target, ast.Name)}
