"""The job from statutes to questions: each stage on provisions small enough to check by eye."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from renvoi import store
from renvoi.chunk import chunk_corpus, make_links
from renvoi.cli._app import app
from renvoi.crossref import phrase_da, phrase_en, phrase_pl
from renvoi.crossref.assemble import split_by_act
from renvoi.crossref.assure import CRITERIA, decide
from renvoi.crossref.build import Job, Settings, build_crossref
from renvoi.crossref.candidates import find_candidates
from renvoi.crossref.filter import split_by_hardness
from renvoi.crossref.items import Candidate, Draft, Pointer, candidate_from, count_reasons, draft_from, to_row
from renvoi.crossref.leak import check_leaks, find_address, longest_run
from renvoi.crossref.statements import Scene, Statement, punch, split_sentences
from renvoi.crossref.template import write_queries
from renvoi.crossref.work import Work
from renvoi.crossref.write import drop_same
from renvoi.errors import BadInput, MissingDependency, MissingModel, OutputExists, RenvoiError, UnknownName
from renvoi.ingest import ingest
from renvoi.sample import sample_files
from renvoi.types import Corpus


@pytest.fixture(scope="session")
def danish() -> Corpus:
    return ingest(sample_files("da")).corpus


@pytest.fixture(scope="session")
def polish() -> Corpus:
    return ingest(sample_files("pl")).corpus


@pytest.fixture
def corpus_path(tmp_path: Path, danish: Corpus) -> Path:
    store.write_corpus(tmp_path / "corpus", danish)
    return tmp_path / "corpus"


def make_draft(target: str, text: str, **marks: object) -> Draft:
    return Draft(f"q:{target}", target, text, (), "template", marks=marks)


# candidates


def test_a_chunk_whose_reference_reaches_another_chunk_is_a_candidate(danish: Corpus) -> None:
    found = find_candidates(danish, chunk_corpus(danish), token_limit=4000)

    [one] = [c for c in found.candidates if c.id == "dk/lbk/2022/4711~sec_4__subsec_3"]
    assert one.contexts == ("dk/lbk/2022/4711~sec_4__subsec_2",)
    assert "§ 4." in " ".join(one.implicit)


def test_every_citing_chunk_is_a_candidate_or_dropped_with_a_reason(danish: Corpus) -> None:
    chunks = chunk_corpus(danish)

    found = find_candidates(danish, chunks, token_limit=4000)

    seen = [c.id for c in found.candidates] + [d.id for d in found.drops]
    assert len(seen) == len(set(seen))
    assert {d.id for d in found.drops if "4633" in d.id} == {d.id for d in found.drops if d.reason == "amending"}
    assert len(found.candidates) >= 60


def test_a_token_limit_drops_what_cites_too_much(danish: Corpus) -> None:
    found = find_candidates(danish, chunk_corpus(danish), token_limit=50)

    assert count_reasons(found.drops)["too_long"] > 10
    assert all(c.n_tokens <= 50 for c in found.candidates)


def test_items_survive_being_written_as_json() -> None:
    candidate = Candidate("a~sec_1", "a", (Pointer("a~sec_1", 3, 8, ("a~sec_2",)),), ("a~sec_2",), ("§ 1.",), 12)
    draft = Draft("q:a~sec_1", "a~sec_1", "Gælder det?", ("a~sec_2",), "template", "scope", {"rank": {"bm25": None}})

    assert candidate_from(json.loads(json.dumps(to_row(candidate)))) == candidate
    assert draft_from(json.loads(json.dumps(to_row(draft)))) == draft


# statements


def test_abbreviations_and_ordinals_end_no_sentence() -> None:
    text = "Fristen er 14 dage, jf. dog stk. Derefter gælder bl.a. § 3. Klagen sendes, m.v. gebyr. Nævnet svarer."

    assert split_sentences(text) == [
        "Fristen er 14 dage, jf. dog stk. Derefter gælder bl.a. § 3.",
        "Klagen sendes, m.v. gebyr.",
        "Nævnet svarer.",
    ]


@given(st.lists(st.sampled_from(["Klage", "efter", "§ 8", "stk. 2.", "Nævnet", "svarer."]), min_size=1, max_size=12))
def test_sentences_joined_give_back_the_text(words: list[str]) -> None:
    text = " ".join(words)

    assert " ".join(split_sentences(text)) == text


def test_a_citation_becomes_a_hole() -> None:
    assert punch("Klage efter § 8, stk. 1, afgøres.", [(12, 23)]) == "Klage efter ⟦0⟧, afgøres."


def scene(text: str, lead_in: str = "") -> Scene:
    return Scene(lead_in, text, "x", ("x",))


@pytest.mark.parametrize(
    ("text", "cited", "asked"),
    [
        (
            "Nedsættelse efter ⟦0⟧, bortfalder efter to år.",
            scene("er under uddannelse,", "Indskuddet kan nedsættes for personer, der"),
            "Bortfalder nedsættelse for personer, der er under uddannelse, efter to år?",
        ),
        (
            "Forbuddet i ⟦0⟧, gælder ikke for kreaturhegn.",
            scene("opsættes hegn,", "I bredzonen må der ikke"),
            "Gælder forbuddet mod at opsætte hegn ikke for kreaturhegn?",
        ),
        (
            "I de tilfælde, der er nævnt i ⟦0⟧, kan perioden forlænges.",
            scene("sygdom,", "Boligen kan fremlejes, når fraværet skyldes"),
            "Kan perioden forlænges, når fraværet skyldes sygdom?",
        ),
        (
            "⟦0⟧ gælder ikke for fællesskaber med færre end ti boliger.",
            scene("Hver bolig har én stemme på husmødet."),
            "Gælder det også for fællesskaber med færre end ti boliger, at hver bolig har én stemme på husmødet?",
        ),
        (
            "I sager efter ⟦0⟧, er fristen to uger.",
            scene("redningsposter og", "Nævnet kan give dispensation til"),
            "Hvor lang er fristen ved sager om redningsposter?",
        ),
        (
            "Er fristen i ⟦0⟧ overskredet, hæfter stifterne personligt.",
            scene("Fællesskabet skal registreres i registeret."),
            "Når fællesskabet skal registreres i registeret, hæfter stifterne personligt, hvis fristen er overskredet?",
        ),
    ],
)
def test_a_danish_rule_becomes_a_question_in_the_words_of_what_it_cites(text: str, cited: Scene, asked: str) -> None:
    found = [question for _, question in phrase_da.questions(Statement("s", text, "", {0: cited}))]

    assert found[0] == asked


@pytest.mark.parametrize(
    ("text", "cited", "asked"),
    [
        (
            "Przepisu ⟦0⟧ nie stosuje się do małżonków.",
            scene("Każdemu członkowi przysługuje jeden głos."),
            "Czy do małżonków stosuje się zasadę, zgodnie z którą każdemu członkowi przysługuje jeden głos?",
        ),
        (
            "W przypadku, o którym mowa w ⟦0⟧, gmina zapewnia grunt zastępczy.",
            scene("grunt przeznaczono na cel publiczny.", "Spółdzielnia ulega likwidacji, gdy:"),
            "Czy gmina zapewnia grunt zastępczy, gdy grunt przeznaczono na cel publiczny?",
        ),
        (
            "Zamiana, o której mowa w ⟦0⟧, nie może dotyczyć osób chorych.",
            scene("Statut może przewidywać, że prace zastępuje się opłatą."),
            "Statut może przewidywać, że prace zastępuje się opłatą – czy zamiana może dotyczyć osób chorych?",
        ),
        (
            "W sprawach, o których mowa w ⟦0⟧, termin wynosi 7 dni.",
            scene("pozostaje w zwłoce;", "Zebranie może wykluczyć członka, który:"),
            "Zebranie może wykluczyć członka, który pozostaje w zwłoce – ile wynosi w takim przypadku termin?",
        ),
    ],
)
def test_a_polish_rule_becomes_a_question_in_the_words_of_what_it_cites(text: str, cited: Scene, asked: str) -> None:
    found = [question for _, question in phrase_pl.questions(Statement("s", text, "", {0: cited}))]

    assert found[0] == asked


@pytest.mark.parametrize(
    ("text", "cited", "asked"),
    [
        (
            "⟦0⟧ shall not apply to vessels longer than 40 metres.",
            scene("Every vessel shall carry a life jacket for each passenger."),
            "Does the rule that every vessel shall carry a life jacket for each passenger apply to vessels longer than "
            "40 metres?",
        ),
        (
            "In the case referred to in ⟦0⟧, the operator shall first be heard.",
            scene("has failed to run a service;", "The authority shall withdraw the licence where the operator:"),
            "Must the operator first be heard where the operator has failed to run a service?",
        ),
        (
            "The equipment referred to in ⟦0⟧ shall be inspected every spring.",
            scene("Every vessel shall carry a life jacket."),
            "Given that every vessel shall carry a life jacket, must that equipment be inspected every spring?",
        ),
    ],
)
def test_an_english_rule_becomes_a_question_in_the_words_of_what_it_cites(text: str, cited: Scene, asked: str) -> None:
    found = [question for _, question in phrase_en.questions(Statement("s", text, "", {0: cited}))]

    assert found[0] == asked


def test_a_citation_that_the_sentence_needs_is_not_cut_out() -> None:
    assert phrase_da.cut_holes("⟦0⟧ gælder ikke for dem.") is None
    assert phrase_pl.cut_holes("⟦0⟧ stosuje się odpowiednio.") is None
    assert phrase_en.cut_holes("⟦0⟧ shall not apply to them.") is None


def test_an_unknown_language_has_no_template() -> None:
    with pytest.raises(RenvoiError, match="knows da, pl, en, not 'fi'"):
        list(write_queries([], None, "fi"))  # type: ignore[arg-type]


def test_one_question_made_for_two_targets_is_dropped_for_both() -> None:
    drafts = [make_draft("a", "Gælder det?"), make_draft("b", "gælder det?"), make_draft("c", "Hvornår?")]

    kept, drops = drop_same(drafts, [])

    assert [d.target_id for d in kept] == ["c"]
    assert count_reasons(drops) == {"same_question": 2}


# leaks


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("Gælder det efter § 12 a også?", "da", "§ 12 a"),
        ("Gælder det efter nr. 2 også?", "da", "nr. 2"),
        ("Czy art. 5 ust. 1 stosuje się?", "pl", "art. 5"),
        ("Czy ustawa z dnia 4 maja?", "pl", "ustawa z dnia"),
        ("Does paragraph 2 apply?", "en", "paragraph 2"),
        ("Does it follow from Annex II?", "en", "Annex II"),
    ],
)
def test_an_address_in_a_question_is_found(text: str, language: str, words: str) -> None:
    span = find_address(text, language)

    assert span is not None and text[slice(*span)] == words


def test_ordinary_numbers_are_no_address() -> None:
    assert find_address("Er fristen 14 dage for boliger på 30 m?", "da") is None
    assert find_address("Czy po 7 dniach można?", "pl") is None
    assert find_address("May 40 pupils cross in 2 hours?", "en") is None


def test_leaks_are_dropped_with_their_words() -> None:
    texts = {
        "a": "Andelshaveren skal vedligeholde boligen indvendigt og betale for skader på husets fælles installationer."
    }
    long = "Skal han vedligeholde boligen indvendigt og betale for skader på husets fælles installationer?"
    drafts = [
        make_draft("a", "Gælder det efter stk. 2 for lejere?"),
        make_draft("a", "Gælder boligfællesskabslovens regel for lejere?"),
        make_draft("a", long),
        make_draft("a", "Hvem betaler, når noget går i stykker?"),
    ]

    kept, drops = check_leaks(drafts, texts, ["boligfællesskabsloven"], "da")

    assert [d.text for d in kept] == ["Hvem betaler, når noget går i stykker?"]
    assert [d.reason for d in drops] == ["names_an_address", "names_the_act", "overlaps"]
    assert drops[0].note == "stk. 2"
    assert drops[1].note == "boligfællesskabslovens"
    assert "overlap" in kept[0].marks


@given(st.text("ab c", max_size=30), st.text("ab c", max_size=30))
def test_the_longest_run_stands_in_both_texts(query: str, target: str) -> None:
    start, end, n = longest_run(query, target)

    words = query[start:end].split()
    assert len(words) == n
    assert " ".join(words) in " ".join(target.split())


# filter, assure


def test_hard_is_what_every_filter_misses_and_controls_are_as_many() -> None:
    texts = ["lejeren skal betale husleje", "klage over afslag", "søens bred skal være åben", "fristen er to uger"]
    chunks = pl.DataFrame(
        {"id": ["a", "b", "c", "d"], "text": texts, "lead_ins": [[]] * 4, "labels": [[]] * 4, "document_id": ["x"] * 4,
         "date": [None] * 4, "order": range(4)},
        schema_overrides={"date": pl.Date, "lead_ins": pl.List(pl.String), "labels": pl.List(pl.String)},
    )  # fmt: skip
    drafts = [
        make_draft("a", "Skal lejeren betale husleje?"),
        make_draft("b", "Kan man klage over afslag?"),
        make_draft("d", "Hvornår er søens bred åben?"),
    ]

    sieved = split_by_hardness(drafts, chunks, "da", ["bm25"], k=1)

    assert [(d.target_id, d.marks["set"]) for d in sieved.drafts if d.marks["set"] == "hard"] == [("d", "hard")]
    assert sieved.facts["hard"] == sieved.facts["control"] == 1
    assert count_reasons(sieved.drops) == {"found_by_bm25": 1}


def test_a_target_that_is_not_returned_counts_as_missed_and_is_counted_apart() -> None:
    chunks = pl.DataFrame(
        {"id": ["a", "b"], "text": ["alpha", "beta"], "lead_ins": [[]] * 2, "labels": [[]] * 2,
         "document_id": ["x"] * 2, "date": [None] * 2, "order": range(2)},
        schema_overrides={"date": pl.Date, "lead_ins": pl.List(pl.String), "labels": pl.List(pl.String)},
    )  # fmt: skip

    sieved = split_by_hardness([make_draft("a", "beta?")], chunks, "en", ["bm25"], k=10)

    assert sieved.drafts[0].marks == {"rank": {"bm25": None}, "set": "hard"}
    assert sieved.facts["missing_bm25"] == 1


def test_the_verdict_is_computed_from_the_answers() -> None:
    yes = dict.fromkeys(CRITERIA, True)
    drafts = [make_draft("a", "x?", answers=yes), make_draft("b", "y?", answers={**yes, "sufficient": False})]

    kept, drops = decide(drafts)

    assert [d.target_id for d in kept] == ["a"]
    assert [d.reason for d in drops] == ["not_sufficient"]


# assemble


def test_the_graph_holds_each_pair_of_chunks_once(danish: Corpus) -> None:
    links = make_links(danish, chunk_corpus(danish))

    assert links.select("source_id", "target_id").is_unique().all()
    assert (links["source_id"] != links["target_id"]).all()
    assert ("dk/lbk/2022/4711~sec_4__subsec_3", "dk/lbk/2022/4711~sec_4__subsec_2") in set(
        links.select("source_id", "target_id").iter_rows()
    )


def test_splits_hold_whole_acts() -> None:
    drafts = [make_draft(f"{act}~{n}", "x?") for act, size in (("a", 6), ("b", 2), ("c", 2)) for n in range(size)]
    documents = {d.target_id: d.target_id[0] for d in drafts}

    split = split_by_act(drafts, documents)

    assert split["a"] == "test"
    assert sorted(split) == ["a", "b", "c"]
    assert list(split.values()).count("dev") == 1


# the job


def test_the_job_makes_a_benchmark_from_the_sample(corpus_path: Path) -> None:
    job = Job(corpus_path, corpus_path.with_name("bench"), Settings(k=1))

    bench = build_crossref(job)

    assert bench is not None
    read = store.read_benchmark(job.output)
    hard = [q for q in read.queries if q.extra["set"] == "hard"]
    assert len(hard) >= 10
    assert all(q.text.endswith("?") and find_address(q.text, "da") is None for q in read.queries)
    assert set(read.contexts["query_id"]) == {q.id for q in read.queries}
    assert dict(read.qrels["chunk"].select("query_id", "doc_id").iter_rows()) == {
        q.id: q.source_id for q in read.queries
    }
    relevant = set(read.qrels["chunk"].select("query_id", "doc_id").iter_rows())
    assert not relevant & set(read.contexts.select("query_id", "doc_id").iter_rows())
    assert all(row["in"] == row["out"] + sum(row["dropped"].values()) for row in read.funnel)
    card = (job.output / "README.md").read_text(encoding="utf-8")
    assert "a floor and a test bed" in card
    assert "Only retrievers by words filtered" in card


def test_the_same_input_gives_the_same_bytes(corpus_path: Path) -> None:
    for name in ("one", "two"):
        build_crossref(Job(corpus_path, corpus_path.with_name(name), Settings(k=1)))

    one, two = (corpus_path.with_name(name) for name in ("one", "two"))
    files = sorted(file.relative_to(one) for file in one.rglob("*") if file.is_file())
    assert [(one / f).read_bytes() for f in files] == [(two / f).read_bytes() for f in files]


def test_a_finished_stage_is_not_run_again_and_a_changed_setting_runs_what_follows(corpus_path: Path) -> None:
    output = corpus_path.with_name("bench")
    build_crossref(Job(corpus_path, output, Settings(k=1)), stage="filter")
    before = {f.name: f.stat().st_mtime_ns for f in Path(f"{output}.work").iterdir()}

    build_crossref(Job(corpus_path, output, Settings(k=2)), stage="filter")

    after = {f.name: f.stat().st_mtime_ns for f in Path(f"{output}.work").iterdir()}
    assert {name for name in after if after[name] != before.get(name)} == {
        "filter.json", "filter.jsonl", "filter.drops.jsonl",
    }  # fmt: skip


def test_a_stage_without_its_state_counts_as_not_run(tmp_path: Path) -> None:
    work = Work(tmp_path / "w")
    key = work.key("write", {"a": 1})
    work.finish("write", key, [make_draft("a", "x?")], [], entered=1)

    assert work.is_done("write", key)
    (tmp_path / "w" / "write.jsonl").write_text("half", encoding="utf-8")
    assert not work.is_done("write", key)
    with pytest.raises(BadInput, match="the stage 'leak' has not been run"):
        work.read("leak")


def test_an_existing_benchmark_is_not_replaced_unasked(corpus_path: Path) -> None:
    job = Job(corpus_path, corpus_path.with_name("bench"), Settings(k=1))
    build_crossref(job)

    with pytest.raises(OutputExists):
        build_crossref(job)


def test_a_corpus_of_two_languages_is_refused(tmp_path: Path, danish: Corpus, polish: Corpus) -> None:
    tables = ("documents", "provisions", "citations", "links")
    both = Corpus(**{name: pl.concat([getattr(danish, name), getattr(polish, name)]) for name in tables})
    store.write_corpus(tmp_path / "corpus", both)

    with pytest.raises(BadInput, match="holds acts in da, pl"):
        build_crossref(Job(tmp_path / "corpus", tmp_path / "bench", Settings()))


def test_the_command_prints_the_funnel_as_json(corpus_path: Path) -> None:
    import_module("renvoi.cli.build")
    output = corpus_path.with_name("bench")

    result = CliRunner().invoke(
        app,
        ["--quiet", "build", "crossref", str(corpus_path), "-o", str(output), "--filter", "bm25", "--k", "1", "--json"],
    )

    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)
    assert [row["stage"] for row in printed["funnel"]] == ["candidates", "write", "leak", "filter", "assure"]
    assert output.is_dir()


def test_wrong_names_are_told_before_any_work_is_done(corpus_path: Path) -> None:
    output = corpus_path.with_name("bench")

    with pytest.raises(UnknownName, match="no writer is named 'templat'; did you mean 'template'"):
        build_crossref(Job(corpus_path, output, Settings(writer="templat")))
    with pytest.raises(UnknownName, match="no judge is named"):
        build_crossref(Job(corpus_path, output, Settings(judge="nobody")))
    with pytest.raises(UnknownName, match="no model is named 'bm52'"):
        build_crossref(Job(corpus_path, output, Settings(filters=("bm25", "bm52"))))
    with pytest.raises((MissingModel, MissingDependency), match="hf download no-such|install it with"):
        build_crossref(Job(corpus_path, output, Settings(filters=("bm25", "dense:no-such"))))
    with pytest.raises(BadInput, match="is no corpus"):
        build_crossref(Job(corpus_path / "nowhere", output, Settings()))
    assert not Path(f"{output}.work").exists()
