"""The job of case law, stage by stage and from corpus to benchmark, on fictional judgments."""

from datetime import date
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from renvoi import cite_cases, store
from renvoi.cli import pincite as _command  # noqa: F401  (registers the command)
from renvoi.cli._app import app
from renvoi.errors import BadInput
from renvoi.pincite import clean, levels, pairs, split
from renvoi.pincite.annotations import Annotations
from renvoi.pincite.build import build_pincite
from renvoi.store.corpus import corpus_from
from renvoi.types import Corpus, Document, Provision, SourceFile, Step

RULE = (
    "it is settled that a mill may grind the grain of its neighbours only where the office has given leave in writing"
)
SPLITS = {"train": split.parse_days(":2017"), "dev": split.parse_days("2017"), "test": split.parse_days("2018:")}


def judgment(
    celex: str, day: str | None, *texts: str, numbers: str = "", language: str = "en", name: str = ""
) -> Document:
    provisions = []
    for n, text in enumerate(texts, 1):
        path = (Step("para", str(n)),)
        provisions.append(Provision(f"{celex}~para_{n}", celex, path, f"{n}.", "", text, n - 1, None, "leaf"))
    metadata = {"celex": celex, **({"numbers": numbers} if numbers else {})}
    return Document(
        celex, "cjeu", language, "judgment", f"Judgment {celex}", (name,) if name else (),
        date.fromisoformat(day) if day else None, "as_enacted", SourceFile(f"{celex}.html", celex, "cjeu_html"),
        tuple(provisions), metadata,
    )  # fmt: skip


def make(*documents: Document) -> Corpus:
    citations = [c for d in documents for c in cite_cases.find_citations_of_cases(d)]
    return corpus_from(documents, citations, cite_cases.resolve_cases(documents, citations), {})


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    cited = (
        f"The Court holds that {RULE}.",
        "It follows from the wording of the first article that the lake is not part of the mill and of its wheel.",
    )
    return make(
        judgment("62010CJ9001", "2012-03-01", *cited, name="Alder Mills v Birch Office"),
        judgment(
            "62013CJ9002", "2015-05-05",
            f"As {RULE} (judgment of 1 March 2012, Alder Mills v Birch Office, C-9001/10, EU:C:2012:9001, "
            "paragraph 1).",
        ),
        judgment(
            "62015CJ9003", "2017-06-01",
            f"In that regard {RULE} (judgment of 1 March 2012, Alder Mills v Birch Office, C-9001/10, EU:C:2012:9001, "
            "paragraphs 1 and 2).",
            "The lake is no part of the mill (judgment of 1 March 2012, Alder Mills v Birch Office, C-9001/10, "
            "EU:C:2012:9001, paragraph 9).",
        ),
        judgment(
            "62016CJ9004", "2018-06-01",
            f"First, {RULE} (judgments of 1 March 2012, Alder Mills v Birch Office, C-9001/10, EU:C:2012:9001, "
            "paragraph 1, and of 5 May 2015, Cedar, C-9002/13, EU:C:2015:9002, paragraph 1).",
            "See the judgment of 1 June 2017, Elm, C-9003/15, EU:C:2017:9003, paragraph 1, on the mill and the grain.",
        ),
        judgment("62017CJ9005", None, "Undated, so it can be no candidate, whatever it says of the mill and the lake."),
        judgment("62011CJ9006", "2013-01-01", "Il ricorso è respinto perché il mulino non è in regola.", language="it"),
    )  # fmt: skip


def test_a_range_of_days_excludes_its_end() -> None:
    days = split.parse_days("2017:2018-03")

    assert split.split_of(date(2017, 1, 1), {"x": days}) == "x"
    assert split.split_of(date(2018, 2, 28), {"x": days}) == "x"
    assert split.split_of(date(2018, 3, 1), {"x": days}) is None


@pytest.mark.parametrize("text", ["2018:2017", "soon", "2017-13", "2017:2017"])
def test_what_is_no_range_of_days_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        split.parse_days(text)


def test_splits_that_share_days_are_refused() -> None:
    with pytest.raises(BadInput, match="share days"):
        split.check_apart({"train": split.parse_days(":2018"), "dev": split.parse_days("2017")})


def test_near_duplicates_of_one_day_are_siblings_and_others_are_not() -> None:
    long = " ".join(f"word{n}" for n in range(200))
    names, same, other = ["a", "b", "c", "d"], date(2018, 1, 1), date(2018, 1, 2)

    clusters = split.find_siblings(names, [same, same, other, same], [long, long + " end", long, "A short one."])

    assert clusters == {"a": "a", "b": "a", "c": "c", "d": "d"}


def test_only_dated_decisions_in_the_language_take_part_and_the_rest_is_counted(corpus: Corpus) -> None:
    decisions, counts = clean.usable_decisions(corpus)

    assert decisions["id"].to_list() == ["62010CJ9001", "62013CJ9002", "62015CJ9003", "62016CJ9004"]
    assert [row["dropped"] for row in counts if "dropped" in row] == [0, 1, 1]


def test_an_undated_decision_gets_the_date_that_citing_texts_print() -> None:
    corpus = make(
        judgment("62010CJ9001", None, f"The Court holds that {RULE}."),
        judgment("62013CJ9002", "2015-05-05", "See the judgment of 1 March 2012, Alder, C-9001/10, paragraph 1."),
    )

    decisions, _ = clean.usable_decisions(corpus)

    assert decisions.row(0)[:2] == ("62010CJ9001", date(2012, 3, 1))


def test_pairs_name_existing_paragraphs_of_other_decisions(corpus: Corpus) -> None:
    found = pairs.find_pairs(corpus)

    assert found.pairs.select("source_id", "target_id").rows() == [
        ("62013CJ9002~para_1", "62010CJ9001~para_1"),
        ("62015CJ9003~para_1", "62010CJ9001~para_1"),
        ("62015CJ9003~para_1", "62010CJ9001~para_2"),
        ("62016CJ9004~para_1", "62010CJ9001~para_1"),
        ("62016CJ9004~para_1", "62013CJ9002~para_1"),
        ("62016CJ9004~para_2", "62015CJ9003~para_1"),
    ]
    dropped = {row["step"]: row["dropped"] for row in found.counts if "dropped" in row}
    assert dropped["the paragraph exists"] == 1  # paragraph 9


def test_listed_pairs_are_joined_and_their_agreement_told(corpus: Corpus, tmp_path: Path) -> None:
    file = tmp_path / "listed.csv"
    file.write_text(
        "CELEX_FROM,NUMBER_FROM,CELEX_TO,NUMBER_TO\n62016CJ9004,1,62010CJ9001,1\n62016CJ9004,2,62010CJ9001,2\n"
        "62016CJ9004,2,61999CJ0001,7\n"
    )
    listed = pairs.read_listed(file)
    found = pairs.find_pairs(corpus)

    agreed = pairs.agreement(found.named, listed)
    joined = pairs.add_pairs(found, listed, "eurlex", corpus)

    counts = {level: (said["both"], said["text_only"], said["listed_only"]) for level, said in agreed["levels"].items()}
    assert counts == {"par_par": (1, 2, 2), "par_case": (1, 2, 2), "case_case": (1, 2, 1)}
    assert agreed["levels"]["case_case"]["of_listed"] == 0.5
    sources = dict(
        joined.pairs.filter(pl.col("source_id").str.starts_with("62016")).group_by("source").len().iter_rows()
    )
    assert sources == {"text": 2, "eurlex+text": 1, "eurlex": 1}
    assert joined.counts[-1]["dropped"] == 1  # 61999CJ0001 is not held


def test_lists_of_instruments_cited_are_read_by_citing_decision(tmp_path: Path) -> None:
    (tmp_path / "62016CJ9004.txt").write_text("62010CJ9001-N7: N 1 - 2 9\n32016R0679-A05: N 3\n62013CJ9002: N 4\n")

    listed = pairs.read_listed(tmp_path)

    assert listed.rows() == [(f"62016CJ9004~para_{n}", "62010CJ9001~para_7") for n in (1, 2, 9)]


def test_candidates_and_relevant_paragraphs_precede_the_split(corpus: Corpus) -> None:
    decisions, _ = clean.usable_decisions(corpus)
    paragraphs, _ = clean.usable_paragraphs(corpus, decisions)

    fixed = levels.make_levels(pairs.find_pairs(corpus).pairs, paragraphs, SPLITS)
    moving = levels.make_levels(pairs.find_pairs(corpus).pairs, paragraphs, SPLITS, as_of="query")

    assert fixed.qrels["par_par"]["query_id"].to_list() == [
        "62013CJ9002-1", "62015CJ9003-1", "62015CJ9003-1", "62016CJ9004-1", "62016CJ9004-1", "62016CJ9004-2",
    ]  # fmt: skip
    assert dict(fixed.asking.select("source_id", "cut").iter_rows())["62016CJ9004~para_1"] == date(2018, 1, 1)
    assert dict(moving.asking.select("source_id", "cut").iter_rows())["62016CJ9004~para_1"] == date(2018, 6, 1)
    assert fixed.qrels["case_case"].select("query_id", "doc_id").rows() == [
        ("62013CJ9002", "62010CJ9001"), ("62015CJ9003", "62010CJ9001"), ("62016CJ9004", "62010CJ9001"),
        ("62016CJ9004", "62013CJ9002"), ("62016CJ9004", "62015CJ9003"),
    ]  # fmt: skip


def test_a_query_is_trusted_as_its_least_trusted_target() -> None:
    frame = pl.DataFrame(
        {"query_id": ["a", "a", "b"], "numbers": ["printed", "inferred", "checked"]},
    )

    assert levels.trust_by_query({"par_par": frame, "par_case": frame, "case_case": frame}) == {
        "a": "inferred", "b": "checked",
    }  # fmt: skip


def test_a_text_that_lost_digits_asks_only_where_it_may() -> None:
    corpus = make(
        judgment("62010CJ9001", "2012-03-01", f"The Court holds that {RULE}."),
        judgment(
            "62016CJ9002", "2018-05-05", "See the judgment of 1 March 2012, Alder, C-9001/10, paragraph 1.",
            numbers="inferred",
        ),
    )  # fmt: skip
    decisions, _ = clean.usable_decisions(corpus)
    paragraphs, _ = clean.usable_paragraphs(corpus, decisions)
    found = pairs.find_pairs(corpus).pairs

    assert levels.make_levels(found, paragraphs, SPLITS).asking.is_empty()
    assert levels.make_levels(found, paragraphs, SPLITS, damaged_in=("train", "test")).asking.height == 1


def test_the_job_makes_a_benchmark_whose_queries_name_no_cited_case(corpus: Corpus, tmp_path: Path) -> None:
    bench, card = build_pincite(corpus, splits=SPLITS)

    store.write_benchmark(tmp_path / "bench", bench, card=card)
    again = store.read_benchmark(tmp_path / "bench")
    assert [(q.id, q.split, q.unit) for q in again.queries] == [
        ("62013CJ9002-1", "train", "par"), ("62015CJ9003-1", "dev", "par"), ("62016CJ9004-1", "test", "par"),
        ("62016CJ9004-2", "test", "par"), ("62015CJ9003", "dev", "case"), ("62016CJ9004", "test", "case"),
    ]  # fmt: skip
    for query in again.queries:
        assert not {"Alder", "9001", "C-900"} & set(query.text.replace("/", " ").split()), query.text
        assert query.extra["unmasked"] != query.text
    assert again.task("par_case", "test").qrels["doc_id"].to_list() == ["62010CJ9001", "62013CJ9002", "62015CJ9003"]
    assert again.collections["chunks"].height == 7
    assert "could" in card
    assert "Read this first" not in card
    assert {q.extra["targets"] for q in again.queries} == {"printed"}


def test_the_card_begins_with_inferred_numbers_and_tells_who_validated() -> None:
    citing = f"As {RULE} (judgment of 1 March 2012, Alder, C-9001/10, paragraph 1)."
    corpus = make(
        judgment("62010CJ9001", "2012-03-01", f"The Court holds that {RULE}.", numbers="inferred"),
        judgment("62016CJ9002", "2018-05-05", citing),
    )
    yes = dict.fromkeys(("first_q1", "first_q2", "second_q1", "second_q2"), [True])
    rows = {"subject": ["Mills"], "example": [1], "rank": [1], "citing": [citing], **yes}
    answers = Annotations(pl.DataFrame({**rows, "candidate": [f"1 The Court holds that {RULE}."]}), ())

    bench, card = build_pincite(corpus, splits=SPLITS, annotations=answers)

    assert "## Read this first: inferred paragraph numbers\n1 of 2 paragraphs (50%)" in card
    assert "queries in train" in card
    assert "1 candidates were shown, and 1 answered by both" in card
    assert bench.qrels["par_par"]["source"].to_list() == ["human+text"]
    assert bench.queries[0].extra["targets"] == "inferred"


def test_the_same_corpus_gives_the_same_bytes(corpus: Corpus, tmp_path: Path) -> None:
    for name in ("one", "two"):
        bench, card = build_pincite(corpus, splits=SPLITS)
        store.write_benchmark(tmp_path / name, bench, card=card)

    files = sorted(p.relative_to(tmp_path / "one") for p in (tmp_path / "one").rglob("*") if p.is_file())
    assert files
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes(), file


def test_a_paragraph_of_which_the_masks_leave_nothing_is_no_query() -> None:
    corpus = make(
        judgment("62010CJ9001", "2012-03-01", f"The Court holds that {RULE}."),
        judgment(
            "62016CJ9002", "2018-05-05",
            "See the judgment of 1 March 2012, Alder, C-9001/10, EU:C:2012:9001, paragraph 1.",
            f"As {RULE} (judgment of 1 March 2012, Alder, C-9001/10, EU:C:2012:9001, paragraph 1).",
        ),
    )  # fmt: skip

    bench, _ = build_pincite(corpus, splits=SPLITS)

    assert [q.id for q in bench.queries] == ["62016CJ9002-2", "62016CJ9002"]
    assert bench.qrels["par_par"]["query_id"].to_list() == ["62016CJ9002-2"]
    assert bench.funnel[-1] == {"stage": "mask", "step": "eight words are left", "kept": 1, "dropped": 1}


def test_a_query_finds_what_was_decided_before_it_where_so_asked() -> None:
    citing = "(judgment of 5 May 2018, Elm, C-9002/16, EU:C:2018:9002, paragraph 1)."
    corpus = make(
        judgment("62016CJ9002", "2018-05-05", f"The Court holds that {RULE}."),
        judgment("62017CJ9003", "2019-05-05", f"As {RULE} {citing}"),
    )

    bench, _ = build_pincite(corpus, splits=SPLITS, as_of="query")

    assert [(q.id, q.date) for q in bench.queries][0] == ("62017CJ9003-1", date(2019, 5, 5))
    with pytest.raises(BadInput, match="no paragraph of a split cites an earlier one"):
        build_pincite(corpus, splits=SPLITS)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--train", ":2018", "--dev", "2017"], "train and dev: share days"),
        (["--test", "2019:2018"], "--test 2019:2018: ends before it starts"),
        (["--test", "soon"], "--test soon: is no range of days"),
        (["--dev", "2017", "--test", "2030:"], "--test: no decision lies in its days"),
    ],
)
def test_days_that_cannot_be_are_one_line(corpus: Corpus, tmp_path: Path, options: list[str], said: str) -> None:
    store.write_corpus(tmp_path / "corpus", corpus)
    given = ["--train", ":2017", "--dev", "none", "--test", "2018:"]

    done = CliRunner().invoke(
        app, ["build", "pincite", str(tmp_path / "corpus"), "-o", str(tmp_path / "b"), *given, *options]
    )

    assert isinstance(done.exception, BadInput)
    assert said in str(done.exception)
    assert "\n" not in str(done.exception)
    assert not (tmp_path / "b").exists()


def test_a_split_can_be_left_out(corpus: Corpus, tmp_path: Path) -> None:
    store.write_corpus(tmp_path / "corpus", corpus)
    given = ["--train", ":2017", "--dev", "none", "--test", "2018:"]

    done = CliRunner().invoke(app, ["build", "pincite", str(tmp_path / "corpus"), "-o", str(tmp_path / "b"), *given])

    assert done.exit_code == 0
    assert {q.split for q in store.read_benchmark(tmp_path / "b").queries} == {"train", "test"}


def test_a_corpus_without_judgments_is_refused() -> None:
    empty = corpus_from([], [], {}, {})

    with pytest.raises(BadInput, match="no judgment"):
        build_pincite(empty)
