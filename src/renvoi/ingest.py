"""Files > corpus: find them, tell their format from their content, read them, and say what was refused and why."""

from __future__ import annotations

import hashlib
import html
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

from renvoi import case_metadata, cite, cite_cases, progress, registry, resolve
from renvoi.errors import BadInput, RenvoiError, UnknownFormat
from renvoi.sources import Raw, Source
from renvoi.store.corpus import corpus_from
from renvoi.store.manifest import make_manifest
from renvoi.types import Corpus, Document, Finding, Link, Unresolved

Item = TypeVar("Item")
Made = TypeVar("Made")

# What lies beside acts in a folder and is none; a file named by the user is always read.
_COMPANION = re.compile(r"(.*[.-])?(meta|struct)\.json|readme.*|licen[cs]e.*|.*\.(tsv|csv|png|jpe?g|gif|pdf)", re.I)
# A provision as long as this is most often an act whose structure was not recognised.
LONGEST = 100_000
_OPERATIVE = {"leaf", "lead_in", "tail", "operative"}
_MARKUP = re.compile(rb"\s*<")
_N_PROBES = 120
_PROBE_WORDS = 5
_PROBES_FOUND = 0.85


@dataclass(frozen=True, slots=True)
class Refused:
    """A file that did not become a document, and one line that says why."""

    path: str
    line: str


@dataclass(frozen=True, slots=True)
class Ingested:
    """A corpus and the files that are not in it."""

    corpus: Corpus
    refused: tuple[Refused, ...]
    n_files: int


def ingest(
    files: Sequence[Path | str],
    *,
    jurisdiction: str | None = None,
    format: str | None = None,
    jobs: int = 1,
    keep_going: bool = False,
    longest: int = LONGEST,
    metadata: Path | str | None = None,
    language: str | None = None,
) -> Ingested:
    """Return the corpus that files and folders hold, with citations and links.

    Args:
        files: files, or folders that are searched; hidden files and companions such as `x.meta.json` are passed over.
        jurisdiction: for formats that do not tell theirs, and to overrule those that do.
        format: the name of a source; found from the content where not given.
        jobs: processes that read at the same time.
        keep_going: leave out what cannot be read instead of raising.
        longest: a file with an operative provision of this many characters is refused.
        metadata: a folder of export lists and notices of judgments, see `case_metadata`.
        language: refuse documents in other languages.

    Raises:
        BadInput: a file was refused and `keep_going` is not given, or nothing could be read.
    """
    paths = find_files([Path(file) for file in files])
    documents, refused = read_files(paths, jurisdiction=jurisdiction, format=format, jobs=jobs, longest=longest)
    documents, refused = keep_language(documents, refused, language)
    if refused and not keep_going:
        more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
        raise BadInput("ingest", f"{len(refused)} of {len(paths)} files refused: {refused[0].line}{more}")
    settings = {"jurisdiction": jurisdiction, "format": format, "keep_going": keep_going, "language": language}
    findings: tuple[Finding, ...] = ()
    table = None
    if metadata is not None:
        table = case_metadata.read_case_metadata(Path(metadata))
        documents, findings = case_metadata.add_metadata(documents, table), table.findings
    return Ingested(make_corpus(documents, refused, settings, findings, table, jobs), refused, len(paths))


def keep_language(
    documents: Sequence[Document], refused: Sequence[Refused], language: str | None
) -> tuple[tuple[Document, ...], tuple[Refused, ...]]:
    """Return the documents in a language (all where none is asked for), and the others among the refused."""
    other = [d for d in documents if language is not None and d.language != language]
    lines = [Refused(d.source.path, f"{d.source.path}: {d.id} is in {d.language!r}, not {language!r}") for d in other]
    kept = tuple(d for d in documents if language is None or d.language == language)
    return kept, (*refused, *lines)


def find_files(paths: Iterable[Path]) -> list[Path]:
    """Return the files under `paths`, sorted within each folder.

    Raises:
        BadInput: a path does not exist, or a folder holds no file.
    """
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = [p for p in sorted(path.rglob("*")) if p.is_file() and not _passed_over(p.relative_to(path))]
            if not inside:
                raise BadInput(path, "holds no file to read")
            found += inside
        elif path.exists():
            found.append(path)
        else:
            raise BadInput(path, "does not exist")
    return list(dict.fromkeys(found))


def _passed_over(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts) or _COMPANION.fullmatch(path.name) is not None


def read_files(
    paths: Sequence[Path],
    *,
    jurisdiction: str | None = None,
    format: str | None = None,
    jobs: int = 1,
    longest: int = LONGEST,
) -> tuple[tuple[Document, ...], tuple[Refused, ...]]:
    """Return the documents of files in the order of the files, and the files that were refused."""
    if format is not None:
        registry.load("sources", format)  # a wrong name is a wrong call, not fifty refused files
    read = partial(_read_one, jurisdiction=jurisdiction, format=format, longest=longest)
    documents: dict[str, Document] = {}
    refused: list[Refused] = []
    for path, result in zip(paths, progress.track(_each(read, paths, jobs), "reading files", len(paths)), strict=True):
        if isinstance(result, str):
            refused.append(Refused(str(path), result))
            continue
        for document in result:
            twin = documents.get(document.id)
            if twin is None or _is_better(document, twin):
                documents[document.id] = document if twin is None else _without_twin(document, twin)
            elif len(result) > 1:
                documents[document.id] = _without_twin(twin, document)
            else:
                error = BadInput(path, f"is {document.id}, which {twin.source.path} is already", "leave one out")
                refused.append(Refused(str(path), str(error)))
    return tuple(documents.values()), tuple(refused)


def _is_better(new: Document, old: Document) -> bool:
    """Say whether printed paragraph numbers replace inferred ones."""
    return old.metadata.get("numbers") == "inferred" and new.metadata.get("numbers") != "inferred"


def _without_twin(kept: Document, left_out: Document) -> Document:
    finding = Finding(kept.id, "duplicate_left_out", f"the one of {left_out.source.path}")
    return replace(kept, findings=(*kept.findings, finding))


def _each(work: Callable[[Item], Made], items: Sequence[Item], jobs: int) -> Iterator[Made]:
    """Yield `work(item)` in the order of the items, from several processes if asked for."""
    if jobs <= 1 or len(items) < 2:
        yield from map(work, items)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(work, items, chunksize=max(1, min(16, len(items) // (8 * jobs))))


def _read_one(path: Path, jurisdiction: str | None, format: str | None, longest: int) -> tuple[Document, ...] | str:
    """Return the documents of a file, or the line that says why there are none."""
    try:
        documents = read_file(path, jurisdiction=jurisdiction, format=format)
        _refuse_overlong(path, documents, longest)
        return documents
    except RenvoiError as error:
        return " ".join(str(error).split())
    except OSError as error:
        return f"{path}: cannot be read: {error.strerror or error}"
    except Exception as error:  # one odd file must not take the other thousand with it; it is named and counted
        return f"{path}: the reader failed ({type(error).__name__}: {' '.join(str(error).split())}); please report it"


def read_file(path: Path, *, jurisdiction: str | None = None, format: str | None = None) -> tuple[Document, ...]:
    """Return the documents of one file.

    Raises:
        UnknownFormat: no source recognises it.
        BadInput: its source refuses it.
    """
    data = path.read_bytes()
    if not data.strip():
        raise BadInput(path, "is empty")
    raw = Raw(path, data, hashlib.sha256(data).hexdigest(), jurisdiction)
    source: Source = registry.load("sources", format or find_format(raw))
    documents = source.read(raw)
    if not documents:
        raise BadInput(path, "holds no document")
    if jurisdiction is not None:
        documents = tuple(replace(d, jurisdiction=jurisdiction) for d in documents)
    return tuple(_with_probes(d, data) for d in documents) if len(documents) == 1 else documents


def _refuse_overlong(path: Path, documents: Sequence[Document], longest: int) -> None:
    for provision in (p for d in documents for p in d.provisions):
        if provision.kind in _OPERATIVE and len(provision.text) >= longest:
            raise BadInput(
                path,
                f"{provision.id} has {len(provision.text)} characters, its structure was probably not recognised",
                "give --longest if that is right",
            )


def find_format(raw: Raw) -> str:
    """Return the name of the source that reads a file, told from its bytes.

    Raises:
        UnknownFormat: none does.
    """
    for name, source in _sources():
        if source.recognises(raw.data):
            return name
    raise UnknownFormat(
        raw.path, "no source recognises its content", f"name one with --format: {', '.join(registry.names('sources'))}"
    )


@cache
def _sources() -> tuple[tuple[str, Source], ...]:
    loaded = ((name, registry.load("sources", name)) for name in registry.names("sources"))
    return tuple(sorted(loaded, key=lambda item: (-item[1].priority, item[0])))


def _with_probes(document: Document, data: bytes) -> Document:
    """Look for some runs of the file's words in the provisions, and report if too many are missing.

    The full check, word for word, is in the tests of the sources; this one is cheap and sees an unknown layout.
    """
    if not _MARKUP.match(data.removeprefix(b"\xef\xbb\xbf")):
        return document
    body = re.sub(rb"(?is)<(head|script|style|meta)\b.*?</\1>|<!--.*?-->|<[^>]*>", b" ", data)
    words = html.unescape(body.decode("utf-8", "replace")).split()
    text = " ".join(part for p in document.provisions for part in (p.label, p.heading, p.text) if part)
    squeezed = re.sub(r"[\s\u00ad\u200b-\u200d\u2060\ufeff]+", "", text)
    step = max(_PROBE_WORDS, len(words) // _N_PROBES)
    probes = ["".join(words[i : i + _PROBE_WORDS]) for i in range(step, len(words) - _PROBE_WORDS, step)]
    probes = [re.sub("[\u00ad\u200b-\u200d\u2060\ufeff]", "", probe) for probe in probes]
    missing = [probe for probe in probes if probe not in squeezed]
    if not probes or len(missing) <= (1 - _PROBES_FOUND) * len(probes):
        return document
    note = f"{len(missing)} of {len(probes)} places of the file are not in the provisions, first {missing[0][:60]!r}"
    return replace(document, findings=(*document.findings, Finding(document.source.path, "text_missing", note)))


def make_corpus(
    documents: Sequence[Document],
    refused: Sequence[Refused],
    settings: dict[str, str | bool | None],
    findings: Sequence[Finding] = (),
    table: case_metadata.CaseTable | None = None,
    jobs: int = 1,
) -> Corpus:
    """Return documents as a corpus with a manifest.

    Args:
        documents: in the order of the corpus.
        refused: files that could not be read.
        settings: for the manifest.
        findings: those of no single document.
        table: of judgments: names that a judgment does not introduce itself are looked up in its titles.
        jobs: processes that find citations in acts at the same time.

    Raises:
        BadInput: there is no document.
    """
    if not documents:
        line = refused[0].line if refused else "no file given"
        raise BadInput("ingest", f"no file could be read; the first: {line}")
    citing = [d for d in documents if d.jurisdiction in registry.names("jurisdictions")]
    unread = Counter(d.jurisdiction for d in documents) - Counter(d.jurisdiction for d in citing)
    no_grammar = [Finding(name, "no_grammar", "its references are not read", n) for name, n in sorted(unread.items())]
    findings = [*findings, *no_grammar, *(f for d in documents for f in d.findings)]
    by_kind: Counter[str] = Counter()
    for finding in findings:
        by_kind[finding.kind] += finding.count
    counts: dict[str, Any] = {
        "documents": len(documents),
        "provisions": sum(len(d.provisions) for d in documents),
        "provisions_by_kind": dict(sorted(Counter(p.kind for d in documents for p in d.provisions).items())),
        "refused": len(refused),
        "findings": dict(sorted(by_kind.items())),
    }
    inputs = {d.source.path: d.source.sha256 for d in documents}
    manifest = make_manifest("corpus", settings, inputs, counts)
    manifest["refused"] = [{"path": r.path, "line": r.line} for r in refused]
    manifest["findings"] = [{"where": f.where, "kind": f.kind, "note": f.note, "count": f.count} for f in findings]
    judgments = [d for d in citing if cite_cases.is_case_law(d)]
    acts = [d for d in citing if not cite_cases.is_case_law(d)]
    found = progress.track(_each(cite.find_citations, acts, jobs), "finding citations", len(acts))
    citations = [c for of_act in found for c in of_act]
    ends = resolve.resolve(acts, citations)
    titles = cite_cases.TitleIndex(case_metadata.named_records(table, judgments)) if table else None
    of_cases = [
        c for d in progress.track(judgments, "finding pincites") for c in cite_cases.find_citations_of_cases(d, titles)
    ]
    ends |= cite_cases.resolve_cases(judgments, of_cases)
    citations += of_cases
    counts["citations"] = len(citations)
    counts["references"] = sum(len(c.references) for c in citations)
    counts["links"] = sum(isinstance(end, Link) for reached in ends.values() for end in reached)
    reasons = Counter(end.reason for reached in ends.values() for end in reached if isinstance(end, Unresolved))
    counts["unresolved"] = dict(sorted(reasons.items()))
    manifest["counts"] = counts
    return corpus_from(documents, citations, ends, manifest)
