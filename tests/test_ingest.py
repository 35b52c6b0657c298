from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from renvoi import ingest, store
from renvoi.cli import corpus as corpus_commands  # noqa: F401  registers the command
from renvoi.cli._app import app
from renvoi.errors import BadInput, UnknownFormat

ACT = """<?xml version="1.0" encoding="utf-8"?>
<Dokument SchemaLocation="LOVH.Retsinfo.LexDania_2.1.xsd"><Meta><DocumentType>LOV H#LOKDOK02</DocumentType>
<DocumentTitle>Lov om fyrtårne</DocumentTitle><Year>2021</Year><DiesSigni>2021-05-04</DiesSigni>
<Number>{number}</Number>
</Meta><DokumentIndhold><Paragraf><Explicatus>§ 1.</Explicatus><Stk><Exitus><Linea><Char>{text}</Char></Linea></Exitus>
</Stk></Paragraf>{more}</DokumentIndhold></Dokument>
"""


def act(number: int = 7, text: str = "Fyret tændes ved solnedgang.", more: str = "") -> bytes:
    return ACT.format(number=number, text=text, more=more).encode()


def run(*arguments: object) -> tuple[int, str]:
    """Return exit code and everything printed; an error of ours counts as 1, as in `renvoi.cli.main`."""
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    code = 1 if result.exception and not isinstance(result.exception, SystemExit) else result.exit_code
    return code, result.output + (str(result.exception) if result.exception else "")


def test_a_folder_becomes_a_corpus_with_hashes_and_counts(tmp_path: Path) -> None:
    (tmp_path / "laws").mkdir()
    (tmp_path / "laws" / "a.xml").write_bytes(act())

    code, _ = run("ingest", tmp_path / "laws", "-o", tmp_path / "corpus")

    corpus = store.read_corpus(tmp_path / "corpus")
    assert code == 0
    assert corpus.provisions["id"].to_list() == ["dk/lov/2021/7~sec_1"]
    assert corpus.manifest["counts"]["documents"] == 1
    assert list(corpus.manifest["inputs"]) == [str(tmp_path / "laws" / "a.xml")]


def test_the_same_input_gives_the_same_bytes_whatever_the_number_of_jobs(tmp_path: Path) -> None:
    (tmp_path / "laws").mkdir()
    for n in range(1, 6):
        (tmp_path / "laws" / f"{n}.xml").write_bytes(act(n, "Fyret lyser efter § 1 og § 9."))

    for jobs in (1, 2):
        run("ingest", tmp_path / "laws", "-o", tmp_path / f"corpus{jobs}", "--jobs", jobs)

    for file in sorted((tmp_path / "corpus1").iterdir()):
        assert file.read_bytes() == (tmp_path / "corpus2" / file.name).read_bytes()


BAD = {
    "truncated": (act()[:400], "line"),
    "empty file": (b"", "is empty"),
    "blank file": (b" \n", "is empty"),
    "other encoding": (act(text="Fyrtårnet").decode().encode("cp1252"), "encod"),
    "no provision": (act().split(b"<DokumentIndhold>")[0] + b"<DokumentIndhold/></Dokument>", "no provision found"),
    "empty provision": (act(text=""), "§ 1. has no text"),
    "number twice": (
        act(more="<Paragraf><Explicatus>§ 1.</Explicatus><Stk><Exitus><Linea>Nej.</Linea></Exitus></Stk></Paragraf>"),
        "§ 1. stands twice",
    ),
    "bytes of nothing": (bytes(range(256)), "no source recognises"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_file_gets_one_line_that_names_it_and_leaves_nothing_behind(tmp_path: Path, kind: str) -> None:
    data, said = BAD[kind]
    bad = tmp_path / "bad.xml"
    bad.write_bytes(data)

    code, output = run("ingest", bad, "-o", tmp_path / "corpus")

    lines = [line for line in output.splitlines() if line.startswith("refused:")]
    assert code == 1
    assert len(lines) == 1 and str(bad) in lines[0] and said in lines[0]
    assert [p.name for p in tmp_path.iterdir()] == ["bad.xml"]


def test_one_bad_file_among_fifty_stops_the_others_only_without_keep_going(tmp_path: Path) -> None:
    laws = tmp_path / "laws"
    laws.mkdir()
    for n in range(1, 50):
        (laws / f"{n}.xml").write_bytes(act(n))
    (laws / "bad.xml").write_bytes(b"<html><body>404 not found</body></html>")

    stopped, _ = run("ingest", laws, "-o", tmp_path / "corpus")
    there = (tmp_path / "corpus").exists()
    kept, output = run("ingest", laws, "-o", tmp_path / "corpus", "--keep-going")

    assert (stopped, there, kept) == (1, False, 1)
    assert "49 documents" in output and "49 of 50 files" in output and "bad.xml" in output
    assert store.read_corpus(tmp_path / "corpus").documents.height == 49


def test_two_files_that_are_the_same_act_are_both_named(tmp_path: Path) -> None:
    for name in ("a.xml", "b.xml"):
        (tmp_path / name).write_bytes(act())

    with pytest.raises(BadInput) as error:
        ingest.ingest([tmp_path])

    assert "a.xml" in str(error.value) and "b.xml" in str(error.value)


def test_a_provision_of_a_hundred_thousand_characters_is_refused_by_name_or_kept_whole_if_asked(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_bytes(act(text="Fyret lyser. " * 8000))

    refused, output = run("ingest", tmp_path / "a.xml", "-o", tmp_path / "corpus")
    kept, _ = run("ingest", tmp_path / "a.xml", "-o", tmp_path / "corpus", "--longest", 200_000)

    assert (refused, kept) == (1, 0)
    assert "a.xml" in output and "sec_1 has 103999 characters" in output
    assert len(store.read_corpus(tmp_path / "corpus").provisions["text"][0]) == 8000 * 13 - 1


def test_companions_and_hidden_files_in_a_folder_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_bytes(act())
    (tmp_path / "a.meta.json").write_text("{}")
    (tmp_path / ".DS_Store").write_bytes(b"\0")

    assert ingest.ingest([tmp_path]).n_files == 1


def test_a_file_without_a_format_names_the_formats(tmp_path: Path) -> None:
    file = tmp_path / "a.bin"
    file.write_bytes(b"\x00\x01\x02")

    with pytest.raises(UnknownFormat, match="lexdania"):
        ingest.read_file(file)


def test_an_existing_corpus_is_not_replaced_without_force(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_bytes(act())
    run("ingest", tmp_path / "a.xml", "-o", tmp_path / "corpus")

    refused, output = run("ingest", tmp_path / "a.xml", "-o", tmp_path / "corpus")
    forced, _ = run("ingest", tmp_path / "a.xml", "-o", tmp_path / "corpus", "--force")

    assert (refused, forced) == (1, 0)
    assert "--force" in output


def test_json_is_one_document_on_stdout(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_bytes(act())

    result = CliRunner().invoke(app, ["ingest", str(tmp_path / "a.xml"), "-o", str(tmp_path / "corpus"), "--json"])

    assert json.loads(result.stdout)["documents"] == 1


def test_real_acts_are_ingested_with_their_citations(data: Path) -> None:
    folder = data / "statutes" / "da" / "lexdania"

    ingested = ingest.ingest([folder / "2023-1547.xml", folder / "2024-62.xml"])

    assert ingested.refused == ()
    assert ingested.corpus.documents.height == 2
    assert ingested.corpus.links["target_id"].drop_nulls().len() > 100


def test_acts_of_a_law_without_a_grammar_are_kept_and_the_lack_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_bytes(act())

    corpus = ingest.ingest([tmp_path], jurisdiction="atlantis").corpus

    assert corpus.provisions.height == 1
    assert corpus.manifest["counts"]["findings"] == {"no_grammar": 1}
