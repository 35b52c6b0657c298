"""A MODEL string of the command line > a system that makes a run.

    bm25                          a file of `models`, over the text alone
    bm25:k1=0.9,b=0.4             with parameters; variant=terrier; w.path=0.5 adds a field with its weight
    dense:NAME                    a file of `retrievers`, with what it is given
    hybrid:bm25+dense:NAME        reciprocal rank fusion; hybrid:by=scores:… a weighted sum of scaled scores
    bm25+propagate+rerank:NAME    then steps, one after another, each a function of `STEPS`
    hybrid:renvoi+(dense:NAME+propagate:own=0)   a part in brackets has steps of its own

A new model or retriever is a new file on its shelf. A new step is a function `(run, options, bench, task, k) > run`
and a line in `STEPS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import polars as pl

from renvoi import rank, registry, timing
from renvoi.errors import BadInput, UnknownName
from renvoi.retrievers import Retriever
from renvoi.types import Benchmark, Task

Step = Callable[[pl.DataFrame, Mapping[str, str], Benchmark, Task, int], pl.DataFrame]

# Steps that change a run, and where each is: "module:function", imported when asked for.
STEPS: dict[str, str] = {
    "rerank": "renvoi.rerank:rerank_run",
    "propagate": "renvoi.propagate:propagate_run",
    "two_stage": "renvoi.two_stage:weigh_cases",
}
# Where the options of a step are read before a run, if it has a model to find: (options) > nothing, or an error.
CHECKS: dict[str, str] = {"rerank": "renvoi.rerank:check_options"}
# Systems made of several parts, by name: (options, parameters, bench, task, k) > run.
SPECIAL: dict[str, str] = {"renvoi": "renvoi.flagship:run_flagship"}
_WITH_MODELS = ("dense", "late_chunking")  # retrievers that find a model when they are made
_DEPTH = 1000  # how far the parts of a hybrid, and what a step reads, go


@dataclass(frozen=True, slots=True)
class Part:
    """One name with its options."""

    name: str
    options: Mapping[str, str]  # "" is what stands without a name
    inner: System | None = None  # what stands in brackets, with steps of its own


@dataclass(frozen=True, slots=True)
class System:
    """What a MODEL string says."""

    name: str  # as written
    parts: tuple[Part, ...]  # several for a hybrid
    fusion: Mapping[str, str]  # options of the hybrid
    steps: tuple[Part, ...]


def parse_system(model: str) -> System:
    """Return what a MODEL string says.

    >>> [(part.name, part.options) for part in parse_system("hybrid:bm25:k1=0.9+dph+rerank:x").parts]
    [('bm25', {'k1': '0.9'}), ('dph', {})]

    Raises:
        UnknownName: a name stands on no shelf.
        BadInput: it cannot be read.
    """
    fusion: Mapping[str, str] = {}
    text = model
    hybrid = text.startswith("hybrid:")
    if hybrid:
        text = text.removeprefix("hybrid:")
        head, colon, rest = text.partition(":")
        if colon and "=" in head and "+" not in head:
            fusion, text = _options(head, model), rest
    words = [_part(word, model) for word in _words(text, model)]
    parts = [word for word in words if word.name not in STEPS]
    steps = [word for word in words if word.name in STEPS]
    if words != parts + steps or not parts or (len(parts) > 1) != hybrid:
        raise BadInput(model, "is no model", "write bm25, hybrid:bm25+dense:NAME, or a model and steps: bm25+propagate")
    known = {*registry.names("models"), *registry.names("retrievers"), *SPECIAL}
    for part in parts:
        if part.inner is None and part.name not in known:
            raise UnknownName("models", part.name, known)
    return System(model, tuple(parts), fusion, tuple(steps))


def check_system(system: System) -> None:
    """Find the models that a system needs, before anything waits for it.

    Raises:
        RenvoiError: an option is unknown, a package is not installed, or a model is not on this machine.
    """
    nothing = pl.DataFrame(schema={"id": pl.String, "text": pl.String, "document_id": pl.String})
    links = pl.DataFrame(schema={"source_id": pl.String, "target_id": pl.String, "date": pl.Date})
    bench = Benchmark("imported", "en", {"chunks": nothing}, (), {}, pl.DataFrame(), links)
    for part in system.parts:
        if part.inner:
            check_system(part.inner)
        elif part.name in _WITH_MODELS:
            registry.load("retrievers", part.name)(nothing, part.options, bench)
    for step in system.steps:
        if step.name in CHECKS:
            _load(CHECKS[step.name], step.name)(step.options)


def run_system(
    system: System,
    bench: Benchmark,
    task: Task,
    *,
    k: int = 1000,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
) -> pl.DataFrame:
    """Return the run of a system over a task.

    Args:
        system: see `parse_system`.
        bench: the benchmark, for its language and its citation graph.
        task: queries and the collection they search.
        k: documents kept for each query.
        parameters: by model name, as `renvoi tune` writes them; options in the MODEL string win.
    """
    given = parameters or {}
    deep = max(k, _DEPTH) if len(system.parts) > 1 or system.steps else k
    runs = [
        run_system(part.inner, bench, task, k=deep, parameters=parameters)
        if part.inner
        else _run_part(part, given.get(part.name, {}), bench, task, deep)
        for part in system.parts
    ]
    with timing.phase("searching"):
        run = runs[0] if len(runs) == 1 else _fuse(system, runs, deep)
        for step in system.steps:
            run = _load(STEPS[step.name], step.name)(run, step.options, bench, task, deep)
        return run if deep == k else rank.order_run(run, k)


def _run_part(part: Part, given: Mapping[str, Any], bench: Benchmark, task: Task, k: int) -> pl.DataFrame:
    options = {**{key: str(value) for key, value in given.items()}, **part.options}
    if part.name in SPECIAL:
        run: pl.DataFrame = _load(SPECIAL[part.name], part.name)(options, given, bench, task, k)
        return run
    if part.name in registry.names("models"):
        retriever: Retriever = registry.load("retrievers", "lexical")
        options = {**options, "model": part.name}
    else:
        retriever = registry.load("retrievers", part.name)
    with timing.phase("indexing"):
        scorer = retriever(task.corpus, options, bench)
        rank.get_ready(scorer, task.queries, task.corpus, k=k)
    with timing.phase("searching"):
        return rank.rank(scorer, task.queries, task.corpus, k=k, exclude_self=rank.excludes_self(bench))


def _fuse(system: System, runs: list[pl.DataFrame], k: int) -> pl.DataFrame:
    options = dict(system.fusion)
    by = options.pop("by", "ranks")
    constant = float(options.pop("constant", 60.0))
    weights = [float(options.pop(f"w{n}", 1.0)) for n in range(1, len(runs) + 1)]
    if options or by not in ("ranks", "scores"):
        raise BadInput(system.name, "has an option that a hybrid lacks", "it has by=ranks|scores, constant, w1, w2 …")
    if by == "ranks":
        return rank.fuse_ranks(runs, weights=weights, constant=constant, k=k)
    return rank.fuse_scores(runs, weights=weights, k=k)


def _load(where: str, name: str) -> Any:
    module, _, function = where.partition(":")
    try:
        return getattr(import_module(module), function)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise UnknownName("models", name, [*registry.names("models"), *registry.names("retrievers")]) from None


def _words(text: str, model: str) -> Iterator[str]:
    """Yield what stands between plus signs; what stands in brackets is one word."""
    rest = text
    while rest:
        if rest.startswith("("):
            word, closed, rest = rest.partition(")")
            if not closed or (rest and not rest.startswith("+")):
                raise BadInput(model, "has a bracket that is not closed before a plus sign or the end")
            word, plus, rest = word + closed, rest[:1], rest[1:]
        else:
            word, plus, rest = rest.partition("+")
        yield word
        if plus and not rest:
            yield ""


def _part(word: str, model: str) -> Part:
    if word.startswith("("):
        return Part(word, {}, parse_system(word[1:-1]))
    name, colon, rest = word.partition(":")
    return Part(name, _options(rest, model) if colon else {})


def _options(text: str, model: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for word in text.split(","):
        key, equals, value = word.partition("=")
        key, value = (key, value) if equals else ("", word)
        if not value or key in options:
            raise BadInput(model, f"the option {word!r} cannot be read", "write name=value, with commas between")
        options[key] = value
    return options
