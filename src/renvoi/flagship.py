"""The system named "renvoi": for each level the recipe that did best on development queries, kept as data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import polars as pl

from renvoi import systems
from renvoi.errors import BadInput
from renvoi.types import Benchmark, Task


def recipe(level: str) -> str:
    """Return the MODEL string for a level: "chunk", "par_par" …

    Raises:
        BadInput: there is no recipe for it.
    """
    found = _read(level)
    weights = [f"f.{name}={weight}" for name, weight in found.get("weights", {}).items()]
    return ",".join([str(found["model"]), *weights])


def grid(level: str) -> dict[str, tuple[float, ...]]:
    """Return what `tune` tries for a level's recipe: values by parameter; empty where nothing is said.

    Raises:
        BadInput: there is no recipe for it.
    """
    return {name: tuple(map(float, values)) for name, values in _read(level).get("grid", {}).items()}


def _read(level: str) -> dict[str, Any]:
    recipes: dict[str, Any] = tomllib.loads((files("renvoi") / "recipes.toml").read_text(encoding="utf-8"))
    if level not in recipes:
        raise BadInput("renvoi", f"there is no recipe for the level {level!r}", f"there are: {', '.join(recipes)}")
    found: dict[str, Any] = recipes[level]
    return _read(found["like"]) if "like" in found else found


def run_flagship(
    options: Mapping[str, str], given: Mapping[str, Any], bench: Benchmark, task: Task, k: int
) -> pl.DataFrame:
    """Return the run of the level's recipe.

    Args:
        options: of the MODEL string; they win over the recipe's.
        given: what `renvoi tune` wrote; wins over the recipe too.
        bench: with its links.
        task: of one level.
        k: documents kept for each query.
    """
    system = systems.parse_system(recipe(task.level))
    first = system.parts[0]
    changed = {**first.options, **{key: str(value) for key, value in given.items()}, **options}
    parts = (systems.Part(first.name, changed), *system.parts[1:])
    return systems.run_system(systems.System(system.name, parts, system.fusion, system.steps), bench, task, k=k)
