"""Commands that index, search, run and tune."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Annotated, cast

import typer

from renvoi.cli._app import AsJson, Force, app, print_json

_Bench = Annotated[Path, typer.Argument(help="A benchmark folder.", metavar="BENCH")]
_Level = Annotated[str | None, typer.Option(help="Level of a case-law benchmark: par_par, par_case, case_case.")]
_Split = Annotated[str | None, typer.Option(help="Only the queries of this split.")]


@app.command()
def index(
    source: Annotated[Path, typer.Argument(help="A benchmark or corpus folder.", metavar="BENCH|CORPUS")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The folder to write.", metavar="INDEX")],
    fields: Annotated[str, typer.Option(help="Fields, with commas between: body,path.")] = "body",
    stop_words: Annotated[bool, typer.Option("--stop-words", help="Leave stop words out.")] = False,
    fold: Annotated[bool, typer.Option("--fold", help="Take diacritics off.")] = False,
    legal_tokens: Annotated[bool, typer.Option("--legal-tokens", help='Keep "§ 12 a" and "C-415/93" whole.')] = False,
    stemmer: Annotated[str, typer.Option(help="snowball or none; by language if not given.")] = "",
    language: Annotated[str, typer.Option(help="Of the text, if the folder does not say it.")] = "",
    kind: Annotated[
        str, typer.Option(help="statutes or judgments: how it is searched; what most chunks are of if not given.")
    ] = "",
    no_text: Annotated[
        bool, typer.Option("--no-text", help="Keep no texts: smaller, but hits are ids, and `renvoi serve` wants more.")
    ] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Index a benchmark's collection or a corpus, to be searched.

    Example: `renvoi index bench -o index`
    """
    from dataclasses import replace

    from renvoi.analysis import default_analysis
    from renvoi.collection import Kind, index_collection, read_collection
    from renvoi.errors import BadInput
    from renvoi.progress import say

    if kind not in ("statutes", "judgments", ""):
        raise BadInput("--kind", f"there is no kind {kind!r}", "it is statutes or judgments")
    found = read_collection(source)
    if kind:
        found = replace(found, kind=cast(Kind, kind))
    analysis = default_analysis(language or found.language)
    analysis = replace(analysis, stop_words=stop_words, fold=fold, legal_tokens=legal_tokens)
    if stemmer == "none":
        analysis = replace(analysis, stemmer="none")
    elif stemmer not in ("snowball", ""):
        raise BadInput("--stemmer", f"there is no stemmer {stemmer!r}", "it is snowball or none")
    names = [name.strip() for name in fields.split(",") if name.strip()]
    made = index_collection(found, analysis, out, fields=names, text=not no_text, force=force)
    if as_json:
        print_json({
            "index": str(out), "documents": made.n_docs, "terms": len(made.vocabulary), "links": found.links.height,
            "fields": names, "texts": not no_text, "kind": found.kind,
        })  # fmt: skip
    say(f"{made.n_docs} documents, {len(made.vocabulary)} terms, {found.links.height} links: {out}")


@app.command()
def search(
    index: Annotated[Path, typer.Argument(help="An index folder.", metavar="INDEX")],
    question: Annotated[str, typer.Argument(help="Any text.")],
    k: Annotated[int, typer.Option("-k", help="How many to return.", min=1)] = 10,
    model: Annotated[str, typer.Option(help="A weighting model, with options: bm25:k1=0.9,b=0.4.")] = "renvoi",
    document: Annotated[list[str] | None, typer.Option(help="Only in this act or judgment; may be repeated.")] = None,
    before: Annotated[str | None, typer.Option(help="Only what is older than this day.", metavar="YYYY-MM-DD")] = None,
    as_json: AsJson = False,
) -> None:
    """Search an index.

    Example: `renvoi search index "Who must notify the lessor?" -k 5`
    """
    from renvoi.cli._hits import print_hits
    from renvoi.errors import BadInput
    from renvoi.progress import say
    from renvoi.search import open_search

    if not question.strip():
        raise BadInput("question", "is empty", 'write one: renvoi search INDEX "Who must notify the lessor?"')
    try:
        day = date.fromisoformat(before) if before else None
    except ValueError:
        raise BadInput("--before", f"{before!r} is no day", "write it as 2024-12-31") from None
    opened = open_search(index)
    found = opened.search(question, k=k, model=model, documents=document, before=day)
    if as_json:
        print_json(found.to_dicts())
        return
    print_hits(found.to_dicts(), opened.words_of(question))
    if not found.height:
        say("nothing found")


@app.command()
def run(
    bench: _Bench,
    models: Annotated[list[str], typer.Argument(help="bm25, dph, hybrid:bm25+dense:NAME, …", metavar="MODEL...")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The folder to write.", metavar="RUNS")],
    level: _Level = None,
    split: _Split = None,
    k: Annotated[int, typer.Option("-k", help="Documents kept for each query.", min=1)] = 1000,
    params: Annotated[Path | None, typer.Option(help="What `renvoi tune` wrote.", metavar="PARAMS.toml")] = None,
    contexts: Annotated[
        Path | None, typer.Option(help="What `renvoi contextualise` wrote: the field `context` (w.context=1).")
    ] = None,
    prepend: Annotated[bool, typer.Option("--prepend", help="Put each context in front of its text instead.")] = False,
    append: Annotated[
        bool, typer.Option("--append", help="Put it behind: a dense model reads the first tokens only.")
    ] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Run models over a benchmark: one TREC run file each.

    Example: `renvoi run bench bm25 dph bm25:k1=0.9,b=0.4 -o runs`
    """
    from renvoi.cli._collection import write_runs

    if prepend and append:
        raise typer.BadParameter("--prepend and --append are two places; give one")
    made = write_runs(
        bench, models, out, level=level, split=split, k=k, params=params, contexts=contexts,
        place="before" if prepend else "after" if append else "beside",
        force=force,
    )  # fmt: skip
    if as_json:
        print_json(made)


@app.command()
def tune(
    bench: _Bench,
    models: Annotated[
        list[str], typer.Argument(help="bm25, dirichlet_lm, bm25f:w.body=1,w.path=0.5, …", metavar="MODEL...")
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="The file to write.", metavar="PARAMS.toml")],
    level: _Level = None,
    split: Annotated[str, typer.Option(help="The queries to tune on; all for every query.")] = "dev",
    measure: Annotated[str, typer.Option(help="What is to be high.")] = "nDCG@10",
    widen: Annotated[bool, typer.Option("--widen", help="Go on where the best value is the last of its grid.")] = False,
    sample: Annotated[
        int | None, typer.Option(min=1, help="Only so many of these queries, always the same; all if not given.")
    ] = None,
    held_out: Annotated[
        Path | None,
        typer.Option(
            "--held-out", help="Also write runs in which no act had a say in its own setting.", metavar="RUNS"
        ),
    ] = None,
    folds: Annotated[int, typer.Option(help="Folds of acts for --held-out; 0 leaves out one at a time.")] = 2,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Choose parameters by a grid on the development queries; `renvoi run --params` reads them.

    Example: `renvoi tune bench bm25 dirichlet_lm -o params.toml`

    The recipe, leaving out one act at a time: `renvoi tune bench renvoi -o params.toml --split all --held-out runs
    --folds 0`

    Many queries: `renvoi tune bench bm25 tf_idf --level par_par --sample 500 -o params.toml`
    """
    from renvoi import store
    from renvoi.errors import BadInput, OutputExists
    from renvoi.progress import say
    from renvoi.tune import Indexes, write_toml
    from renvoi.tune import tune as tune_model

    if out.exists() and not force:
        raise OutputExists(out)
    names = [model.partition(":")[0] for model in models]
    if len(set(names)) < len(names):
        raise BadInput(str(out), "a file of parameters holds a model once", "write a file for each")
    if sample and held_out:
        raise BadInput("--sample", "--held-out ranks every query, each by what others chose", "leave out one of both")
    read = store.read_benchmark(bench)
    of_all = split == "all" and not any(query.split == "all" for query in read.queries)
    tuned, indexes = [], Indexes()
    for model in models:
        one = tune_model(
            read, model, level=level, split=None if of_all else split, measure=measure, widen=widen, sample=sample,
            indexes=indexes,
        )  # fmt: skip
        tuned.append(one)
        drawn = f" drawn of {one.n_of}" if one.n_of > one.n_queries else ""
        say(f"{one.model}: {one.measure} {one.value:.4f} of {one.n_queries} queries{drawn} at {dict(one.options)}")
        for name in one.edges:
            say(f"{one.model}: the best {name} is the last of its grid; see --widen")
    store.write_text(out, write_toml(tuned))
    if held_out:
        from renvoi.cli._collection import write_held_out

        write_held_out(
            read, models, held_out, level=level, split=None if of_all else split, measure=measure, widen=widen,
            folds=folds, force=force, indexes=indexes,
        )  # fmt: skip
    if as_json:
        rows = [
            {"model": one.model, "measure": one.measure, "value": one.value, "queries": one.n_queries, "of": one.n_of,
             "options": dict(one.options), "last_of_grid": list(one.edges)}
            for one in tuned
        ]  # fmt: skip
        print_json({"params": str(out), "held_out": str(held_out) if held_out else None, "tuned": rows})
