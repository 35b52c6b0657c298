"""People review a sample: what they see, that nothing is lost, and what their answers come to."""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import polars as pl
import pytest
from chromium import BROWSER, Chromium
from typer.testing import CliRunner

from renvoi import evaluate, review, store
from renvoi.cli import review as _command  # noqa: F401  (registers the command)
from renvoi.cli._app import app
from renvoi.errors import BadInput, Mismatch
from renvoi.evaluate import Verdict
from renvoi.interchange._layout import Entry, collection_from, imported, qrels_from
from renvoi.review.agreement import kappa_interval
from renvoi.review.sample import sample_items
from renvoi.review.store import ADJUDICATOR, Closed, ReviewStore, open_review
from renvoi.types import Benchmark, Query

CRITERIA = ["asks_target", "needs_context", "sufficient", "rewards_context"]


def _bench(folder: Path, *, text: str = "Lampen slukkes, jf. § 2.") -> Benchmark:
    """Return 7 acts with 6 queries each, half of them hard; every target cites the act's last provision."""
    folder.mkdir(exist_ok=True)
    (folder / "source").write_text("x")
    entries, queries = [], []
    for act in "abcdefg":
        entries += [Entry(f"{act}-{i}", f"{text} {act}{i}", act) for i in range(7)]
        for i in range(6):
            extra = {"set": "hard" if i < 3 else "control", "rank": {"bm25": 4711}}
            queries.append(Query(f"{act}{i}", f"Skal lampe {act}{i} slukkes?", source_id=f"{act}-{i}",
                                 document_id=act, extra=extra))  # fmt: skip
    return imported(
        "made", [folder / "source"], "da",
        collections={"chunks": collection_from(entries, folder)},
        queries=queries,
        qrels={"chunk": qrels_from([(q.id, q.source_id, 1) for q in queries])},
        contexts=[(q.id, f"{q.document_id}-6") for q in queries],
        funnel=[{"stage": "import", "queries": len(queries)}],
    )  # fmt: skip


@pytest.fixture
def bench(tmp_path: Path) -> Benchmark:
    return _bench(tmp_path / "files")


@pytest.fixture
def opened(tmp_path: Path, bench: Benchmark) -> ReviewStore:
    return open_review(tmp_path / "r.sqlite", bench)


def _answer_all(opened: ReviewStore, reviewer: str, value: str = "yes") -> None:
    opened.merge([(reviewer, item.query_id, name, value) for item in opened.items for name in CRITERIA])


def _client(opened: ReviewStore, reviewer: str | None = None) -> Any:
    pytest.importorskip("fastapi", reason="the review page needs the extra 'web'")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it would rather have another client than httpx
        from fastapi.testclient import TestClient

    from renvoi.review.page import make_app

    return TestClient(make_app(opened, "lamps", reviewer), base_url="http://127.0.0.1")


def _pick(client: Any, reviewer: str, query_id: str, field: str, value: str) -> Any:
    body = {"reviewer": reviewer, "query_id": query_id, "field": field, "value": value}
    return client.post("/api/answer", json=body)


# The sample


def test_every_act_gives_n_items_half_of_each_set(bench: Benchmark) -> None:
    sets = {query.id: query.extra["set"] for query in bench.queries}

    items = sample_items(bench, n=4, seed=1)

    assert Counter((item.document_id, sets[item.query_id]) for item in items) == {
        (act, name): 2 for act in "abcdefg" for name in ("hard", "control")
    }


def test_a_set_that_runs_out_is_made_up_for_by_the_other(bench: Benchmark) -> None:
    assert Counter(item.document_id for item in sample_items(bench, n=5)) == dict.fromkeys("abcdefg", 5)
    assert len(sample_items(bench, n=99)) == 42


def test_the_act_of_a_query_that_names_none_is_that_of_its_target(bench: Benchmark) -> None:
    nameless = replace(bench, queries=tuple(replace(q, document_id=None, source_id=None) for q in bench.queries))

    drawn = sample_items(nameless, n=2, seed=3)

    assert Counter(item.document_id for item in drawn) == dict.fromkeys("abcdefg", 2)


def test_the_same_seed_draws_the_same_and_another_seed_something_else(bench: Benchmark) -> None:
    assert sample_items(bench, seed=3) == sample_items(bench, seed=3)
    assert sample_items(bench, seed=3) != sample_items(bench, seed=4)


def test_an_item_shows_target_and_contexts_and_not_how_it_ranked(bench: Benchmark, opened: ReviewStore) -> None:
    sent = _client(opened).get("/api/review?reviewer=anna").text

    item = json.loads(sent)["items"][0]
    assert item["targets"][0]["text"].endswith(item["query_id"])
    assert [context["id"] for context in item["contexts"]] == [f"{item['document_id']}-6"]
    assert "4711" not in sent and "hard" not in sent and "control" not in sent


# The store, in both databases


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Yield the URL of a PostgreSQL server started for these tests."""
    pytest.importorskip("psycopg", reason="PostgreSQL needs the extra 'postgres'")
    folders = [Path(shutil.which("initdb") or "/none").resolve().parent, *Path("/usr/lib/postgresql").glob("*/bin")]
    bin_ = next((f for f in folders if (f / "initdb").exists() and (f / "pg_ctl").exists()), None)
    if bin_ is None:
        pytest.skip("no PostgreSQL server is installed here")
    data = Path(tempfile.mkdtemp(prefix="renvoi-pg-"))  # short: a socket's path has 107 characters at most
    port = _free_port()
    run = partial(subprocess.run, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")
    if os.getuid() == 0:  # PostgreSQL does not run as root
        shutil.chown(data, "nobody")
        run = partial(run, user="nobody")
    run([bin_ / "initdb", "-D", data / "db", "-U", "me", "-A", "trust"])
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={data} -c fsync=off"
    run([bin_ / "pg_ctl", "-D", data / "db", "-o", options, "-l", data / "log", "-w", "start"])
    try:
        yield f"postgresql://me@127.0.0.1:{port}/postgres"
    finally:
        run([bin_ / "pg_ctl", "-D", data / "db", "-m", "immediate", "-w", "stop"])
        shutil.rmtree(data)


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "r.sqlite")
    url: str = request.getfixturevalue("postgres")
    import psycopg

    name = f"r{uuid4().hex}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}".encode())
    return f"{url}?options=-csearch_path%3D{name}"


def test_answers_are_there_when_the_review_is_opened_again(where: str, bench: Benchmark) -> None:
    first = open_review(where, bench, n=2, seed=5)
    query_id = first.items[0].query_id
    first.answer("anna", query_id, "sufficient", "no")
    first.answer("anna", query_id, "note", "uklart 'citat' æøå\n% ?")

    again = open_review(where, bench)

    assert again.items == first.items
    assert again.answers("anna") == {query_id: {"sufficient": "no", "note": "uklart 'citat' æøå\n% ?"}}
    assert again.answers("ben") == {}


def test_undo_takes_back_key_by_key_as_a_plain_list_would(where: str, bench: Benchmark) -> None:
    opened = open_review(where, bench, n=1)
    rng = random.Random(7)
    states: list[Any] = [{}]
    for _ in range(25):
        query_id, field = opened.items[rng.randrange(3)].query_id, rng.choice(CRITERIA)
        opened.answer("anna", query_id, field, rng.choice(["yes", "no", ""]))
        if (state := opened.answers("anna")) != states[-1]:
            states.append(state)
    opened.answer("ben", opened.items[0].query_id, "sufficient", "yes")

    while opened.undo("anna"):
        states.pop()
        assert opened.answers("anna") == states[-1]

    assert states == [{}]
    assert opened.progress() == {"ben": 0}


def test_a_note_is_kept_at_every_key_and_taken_back_as_a_whole(where: str, bench: Benchmark) -> None:
    opened = open_review(where, bench, n=1)
    query_id = opened.items[0].query_id
    opened.answer("anna", query_id, "label:unnatural", "yes")
    for end in range(1, 6):
        opened.answer("anna", query_id, "note", "uklar"[:end])

    opened.undo("anna")

    assert opened.answers("anna") == {query_id: {"label:unnatural": "yes"}}


def test_adjudication_begins_when_two_are_through_and_ends_the_reviewing(where: str, bench: Benchmark) -> None:
    opened = open_review(where, bench, n=1)
    query_id = opened.items[0].query_id
    _answer_all(opened, "anna")
    with pytest.raises(Closed, match="two reviewers"):
        opened.close()
    with pytest.raises(Closed, match="another name"):
        opened.answer(ADJUDICATOR, query_id, "sufficient", "no")
    _answer_all(opened, "ben", "no")

    opened.close()

    opened.answer(ADJUDICATOR, query_id, "sufficient", "no")
    with pytest.raises(Closed, match="no longer"):
        opened.answer("anna", query_id, "sufficient", "no")
    with pytest.raises(Closed, match="no longer"):
        opened.undo("anna")


def test_a_benchmark_that_changed_is_refused_and_so_is_another_draw(tmp_path: Path, bench: Benchmark) -> None:
    open_review(tmp_path / "r.sqlite", bench, n=2)

    with pytest.raises(Mismatch, match="14 of 14 items"):
        open_review(tmp_path / "r.sqlite", _bench(tmp_path / "new", text="Lampen tændes."))
    with pytest.raises(Mismatch, match="began with n 2, not 3"):
        open_review(tmp_path / "r.sqlite", bench, n=3)


@pytest.mark.parametrize(
    ("query_id", "field", "value", "words"),
    [("zz", "sufficient", "yes", "not an item"), ("", "colour", "yes", "neither a criterion"),
     ("", "sufficient", "maybe", "may be one of"), ("", "label:unnatural", "no", "may be one of")],
)  # fmt: skip
def test_what_is_no_answer_is_refused(opened: ReviewStore, query_id: str, field: str, value: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        opened.answer("anna", query_id or opened.items[0].query_id, field, value)


def test_a_file_that_is_no_database_is_one_line(tmp_path: Path, bench: Benchmark) -> None:
    (tmp_path / "r.sqlite").write_text("not a database, and long enough to be read as one" * 99)

    with pytest.raises(BadInput, match="give another --db"):
        open_review(tmp_path / "r.sqlite", bench)


# The page


def test_the_page_asks_no_other_host_and_may_not(opened: ReviewStore) -> None:
    reply = _client(opened).get("/")

    assert "http://" not in reply.text and "https://" not in reply.text and "src=" not in reply.text
    assert "default-src 'none'" in reply.headers["content-security-policy"]
    assert _client(opened).get("/docs").status_code == 404


def test_other_sites_can_neither_post_forms_nor_take_the_host_s_name(opened: ReviewStore) -> None:
    client = _client(opened)

    assert client.post("/api/undo", content='{"reviewer": "anna"}', headers={"Content-Type": "text/plain"}).is_error
    assert client.get("/api/review", headers={"Host": "evil.example"}).status_code == 400


def test_reviewers_are_blind_to_each_other_until_adjudication(opened: ReviewStore) -> None:
    client, query_id = _client(opened), opened.items[0].query_id
    assert _pick(client, "anna", query_id, "note", "only anna knows").json() == {"saved": True}

    ben = [client.get("/api/review?reviewer=ben").text, client.get("/api/progress").text]
    early = client.post("/api/adjudication", json={})

    assert "only anna knows" in client.get("/api/review?reviewer=anna").text
    assert not any("only anna knows" in text for text in [*ben, early.text])
    assert early.status_code == 409


def test_a_page_for_one_reviewer_serves_no_other(opened: ReviewStore) -> None:
    client = _client(opened, "anna")

    assert client.get("/api/review").json()["reviewer"] == "anna"
    assert client.get("/api/review?reviewer=ben").status_code == 409
    assert _pick(client, "ben", opened.items[0].query_id, "sufficient", "yes").status_code == 409


def test_undo_on_the_page_says_where_it_was_and_what_counts_again(opened: ReviewStore) -> None:
    client, query_id = _client(opened), opened.items[3].query_id
    for value in ("yes", "no"):
        _pick(client, "anna", query_id, "sufficient", value)

    back = [client.post("/api/undo", json={"reviewer": "anna"}).json() for _ in range(3)]

    assert back[:2] == [{"query_id": query_id, "field": "sufficient", "value": value} for value in ("yes", "")]
    assert back[2] == {"query_id": None}


def test_adjudication_shows_everybody_and_its_answers_are_kept(opened: ReviewStore) -> None:
    client, query_id = _client(opened), opened.items[0].query_id
    _answer_all(opened, "anna")
    _answer_all(opened, "ben", "no")

    found = client.post("/api/adjudication", json={}).json()
    _pick(client, ADJUDICATOR, query_id, "sufficient", "no")

    assert {name: answers[query_id]["sufficient"] for name, answers in found["given"].items()} == {
        "anna": "yes", "ben": "no"
    }  # fmt: skip
    assert client.post("/api/adjudication", json={}).json()["answers"] == {query_id: {"sufficient": "no"}}


def _free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


def _serve(folder: Path, port: int, reviewer: str | None = "anna") -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "renvoi", "-q", "review", "lamps", "--port", str(port)]
    command += ["--reviewer", reviewer] if reviewer else []
    paths = os.pathsep.join([str(Path(__file__).parent.parent / "src"), os.environ.get("PYTHONPATH", "")])
    server = subprocess.Popen(command, cwd=folder, env={**os.environ, "PYTHONPATH": paths})
    for _ in range(600):
        try:
            httpx.get(f"http://127.0.0.1:{port}/api/progress", verify=False)
            return server
        except httpx.TransportError:
            assert server.poll() is None, "the server did not start"
            time.sleep(0.1)
    raise AssertionError("the server does not answer")


def test_a_killed_server_has_lost_nothing_that_it_confirmed(tmp_path: Path, bench: Benchmark) -> None:
    pytest.importorskip("uvicorn", reason="the review page needs the extra 'web'")
    store.write_benchmark(tmp_path / "lamps", bench, card="")
    port = _free_port()
    confirmed: dict[str, dict[str, str]] = {}
    items = sample_items(bench)
    for part in range(2):
        server = _serve(tmp_path, port)
        client = _At(port)
        try:
            for item in items[part::2]:
                for name in CRITERIA:
                    reply = _pick(client, "anna", item.query_id, name, "yes")
                    assert reply.json() == {"saved": True}
                    confirmed.setdefault(item.query_id, {})[name] = "yes"
        finally:
            client.close()
            server.kill()  # SIGKILL: nothing is tidied up
            server.wait()

    held = open_review(tmp_path / "lamps.review.sqlite", bench)

    assert len(confirmed) == 28
    assert held.answers("anna") == confirmed


@pytest.mark.slow
def test_the_keyboard_alone_does_a_review_across_reload_and_kill(tmp_path: Path, bench: Benchmark) -> None:
    pytest.importorskip("uvicorn", reason="the review page needs the extra 'web'")
    if not BROWSER:
        pytest.skip("no Chromium is installed here")
    store.write_benchmark(tmp_path / "lamps", bench, card="")
    port = _free_port()
    server = _serve(tmp_path, port)
    browser = Chromium(tmp_path / "profile")
    saved = "document.getElementById('state').textContent === 'saved'"
    try:
        browser.call("Page.navigate", url=f"http://127.0.0.1:{port}/")
        browser.wait("document.querySelectorAll('li.c').length === 4 && " + saved)
        browser.press("y", "n", "y", "y", "b", "m", *"yes, n", "Escape", "Enter")
        for _ in range(9):
            browser.press("y", "y", "y", "n", "u", "y", "Enter")
        browser.wait(saved)
        browser.run("window.before = true")
        browser.call("Page.reload")
        browser.wait("!window.before && document.querySelectorAll('li.c').length === 4 && " + saved)
        for _ in range(9):
            browser.press("y", "y", "y", "y", "Enter")
        server.kill()
        server.wait()
        browser.press("y", "n")
        browser.wait("document.getElementById('state').textContent.includes('not saved yet')")
        browser.press("y", "y", "Enter")
        server = _serve(tmp_path, port)
        browser.wait(saved)
        for _ in range(8):
            browser.press("y", "y", "y", "y", "Enter")
        browser.wait(saved + " && document.getElementById('end').textContent.includes('Thank you')")
    except AssertionError as error:
        error.add_note(str(browser.run("document.querySelector('header').innerText")))
        raise
    finally:
        browser.close()
        server.kill()
        server.wait()

    held = open_review(tmp_path / "lamps.review.sqlite", bench)
    answers = [held.answers("anna")[item.query_id] for item in held.items]

    wanted = [dict.fromkeys(CRITERIA, "yes") for _ in range(28)]
    wanted[0] |= {"needs_context": "no", "label:asks_implicit_context": "yes", "note": "yes, n"}
    wanted[19] |= {"needs_context": "no"}
    assert answers == wanted


@pytest.mark.slow
def test_two_reviewers_disagree_and_adjudicate_with_the_keyboard_alone(tmp_path: Path, bench: Benchmark) -> None:
    pytest.importorskip("uvicorn", reason="the review page needs the extra 'web'")
    if not BROWSER:
        pytest.skip("no Chromium is installed here")
    store.write_benchmark(tmp_path / "lamps", bench, card="")
    opened = open_review(tmp_path / "lamps.review.sqlite", bench, n=1)
    port = _free_port()
    server = _serve(tmp_path, port, reviewer=None)
    browser = Chromium(tmp_path / "profile")
    saved = "document.getElementById('state').textContent === 'saved'"
    try:
        for name, second in (("anna", "y"), ("ben", "n")):
            browser.call("Page.navigate", url=f"http://127.0.0.1:{port}/")
            browser.wait("document.getElementById('ask') && !document.getElementById('ask').hidden")
            browser.press(*name, "Enter")
            browser.wait("document.querySelectorAll('li.c').length === 4 && " + saved)
            for i in range(7):
                browser.press("y", second if i < 3 else "y", "y", "y", "Enter")
            browser.wait(saved)
        browser.wait("!document.getElementById('closing').hidden")
        browser.press("A", "Escape", "A")
        assert not opened.is_closed()  # it asks once more
        browser.press("A")
        browser.wait("document.getElementById('who').textContent === 'adjudication'")
        assert browser.run("items.length") == 3
        browser.press("n", "Enter", "y", "Enter", "n", "Enter")
        browser.wait(saved + " && document.getElementById('end').textContent.includes('Thank you')")
    finally:
        browser.close()
        server.kill()
        server.wait()

    decided = opened.answers(ADJUDICATOR)
    assert sorted(row["needs_context"] for row in decided.values()) == ["no", "no", "yes"]
    (tmp_path / "out.csv").write_text(review.export_csv(opened), encoding="utf-8")
    verdicts = review.read_verdicts(str(tmp_path / "out.csv"), bench)
    assert sorted(said.valid for said in verdicts.values()) == [False] * 2 + [True] * 5
    pairs = next(sheet for sheet in review.agree(opened, bench) if sheet.name == "review_agreement")
    row = next(dict(zip(pairs.columns, row, strict=True)) for row in pairs.rows if row[2] == "needs_context")
    assert (row["same"], row["of"]) == (4, 7)


class _At:
    """Posts to a server that runs."""

    def __init__(self, port: int) -> None:
        self._client = httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, verify=False)

    def post(self, path: str, json: Any) -> httpx.Response:
        return self._client.post(path, json=json)

    def close(self) -> None:
        self._client.close()


# Sheets


def test_a_review_goes_out_as_csv_and_comes_back_the_same(tmp_path: Path, bench: Benchmark) -> None:
    opened = open_review(tmp_path / "r.sqlite", bench, n=2)
    rng = random.Random(1)
    for item in opened.items:
        for name in CRITERIA:
            opened.answer("anna", item.query_id, name, rng.choice(["yes", "no", ""]))
        opened.answer('ben, "B"', item.query_id, "note", rng.choice(["=1+1", 'sagt "nej",\r\nog ja', " æ ", ""]))
        opened.answer("anna", item.query_id, "label:many_questions", rng.choice(["yes", ""]))
    sheet = tmp_path / "r.csv"
    sheet.write_bytes(review.export_csv(opened).encode())

    ids, rows = review.read_csv(sheet, CRITERIA)
    other = open_review(tmp_path / "other.sqlite", bench, query_ids=ids)
    n_new = other.merge(rows)

    assert n_new == len(rows) and other.items == opened.items
    assert [other.answers(name) for name in other.reviewers()] == [opened.answers(name) for name in opened.reviewers()]
    assert review.export_csv(other) == review.export_csv(opened)
    assert other.merge(rows) == 0


def test_a_sheet_that_differs_changes_nothing_unless_forced(opened: ReviewStore) -> None:
    query_id, other = opened.items[0].query_id, opened.items[1].query_id
    opened.answer("anna", query_id, "sufficient", "yes")
    rows = [("anna", other, "sufficient", "no"), ("anna", query_id, "sufficient", "no")]

    with pytest.raises(Mismatch, match="1 answers are here already and differ"):
        opened.merge(rows)

    assert opened.answers("anna") == {query_id: {"sufficient": "yes"}}
    assert opened.merge(rows, force=True) == 2


@pytest.mark.parametrize(
    ("line", "words"),
    [("a0,anna,perhaps,,,,,", "line 2: asks_target is 'perhaps'"), ("a0,,yes,,,,,", "no reviewer"),
     ("a0,anna,yes,,,,odd,", "'odd' is no label")],
)  # fmt: skip
def test_a_bad_line_of_a_sheet_is_named(tmp_path: Path, line: str, words: str) -> None:
    sheet = tmp_path / "r.csv"
    sheet.write_text(f"query_id,reviewer,{','.join(CRITERIA)},labels,note\n{line}\n")

    with pytest.raises(BadInput, match=words):
        review.read_csv(sheet, CRITERIA)


# Agreement


def test_shares_have_exact_intervals_and_disputes_count_when_adjudicated(bench: Benchmark, opened: ReviewStore) -> None:
    _answer_all(opened, "anna")
    _answer_all(opened, "ben")
    opened.merge([("ben", item.query_id, "sufficient", "no") for item in opened.items[:7]], force=True)

    before = {row[:2]: row for row in review.agree(opened, bench)[0].rows}
    opened.close()
    for item in opened.items[:7]:
        opened.answer(ADJUDICATOR, item.query_id, "sufficient", "no")
    after = {row[:2]: row for row in review.agree(opened, bench)[0].rows}

    # scipy.stats.binomtest(21, 28).proportion_ci(method="exact") is the oracle
    from scipy.stats import binomtest

    ends = binomtest(21, 28).proportion_ci(0.95, method="exact")
    assert before["all", "valid"][2:4] == (21, 21) and before["all", "valid"][-1] == 7
    assert after["all", "valid"][2:4] == (21, 28) and after["all", "valid"][-1] == 0
    assert after["all", "valid"][5:7] == pytest.approx((ends.low, ends.high))
    assert after["hard", "valid"][3] == after["control", "valid"][3] == 14


def test_agreement_of_two_is_shown_with_kappa(bench: Benchmark, opened: ReviewStore) -> None:
    for place, item in enumerate(opened.items):
        opened.answer("anna", item.query_id, "sufficient", "yes" if place < 14 else "no")
        opened.answer("ben", item.query_id, "sufficient", "yes" if place < 21 else "no")

    row = next(row for row in review.agree(opened, bench)[1].rows if row[2] == "sufficient")

    # 14 yes-yes, 7 no-no, 7 apart: 0.75 observed, 0.5 by chance
    assert row[:7] == ("anna", "ben", "sufficient", 21, 28, 0.75, 0.5)


def test_the_interval_of_kappa_holds_its_bootstrap_and_has_a_width_where_all_agree() -> None:
    import numpy as np

    from renvoi.pincite.annotations import cohen_kappa

    pairs = [(True, True)] * 40 + [(False, False)] * 30 + [(True, False)] * 10 + [(False, True)] * 8
    rng = np.random.default_rng(0)
    drawn = [cohen_kappa([pairs[i] for i in rng.integers(0, len(pairs), len(pairs))]) for _ in range(800)]
    wanted = np.quantile([k for k in drawn if k is not None], [0.025, 0.975])

    found = kappa_interval(pairs)
    perfect = kappa_interval([(True, True)] * 10 + [(False, False)] * 10)

    assert found == pytest.approx(tuple(wanted), abs=0.03)
    assert perfect is not None and perfect[1] == 1.0 and 0.5 < perfect[0] < 0.8
    assert kappa_interval([(True, True)] * 5) is None


# The command


def test_the_command_exports_imports_and_tells_the_agreement(tmp_path: Path, bench: Benchmark) -> None:
    store.write_benchmark(tmp_path / "lamps", bench, card="")
    lamps, sheet = str(tmp_path / "lamps"), tmp_path / "sheet.csv"
    run = CliRunner().invoke

    none = run(app, ["review", lamps, "--agreement"])
    run(app, ["review", lamps, "--n", "2", "--reviewer", "anna", "--export", str(sheet)], catch_exceptions=False)
    sheet.write_text(sheet.read_text().replace(",anna,,,,,,", ",anna,yes,yes,no,yes,,fin"))
    run(app, ["review", lamps, "--import", str(sheet)], catch_exceptions=False)
    told = run(app, ["review", lamps, "--agreement", "--json"], catch_exceptions=False)

    assert isinstance(none.exception, BadInput)
    rows = {(row["set"], row["criterion"]): row for row in json.loads(told.stdout)["review_answers"]}
    assert (rows["all", "valid"]["yes"], rows["all", "valid"]["of"]) == (0, 14)
    assert (rows["all", "asks_target"]["yes"], rows["all", "sufficient"]["yes"]) == (14, 0)


def test_scores_count_what_reviewers_judged_valid_and_tell_the_rest(
    tmp_path: Path, bench: Benchmark, opened: ReviewStore
) -> None:
    ids = [item.query_id for item in opened.items]
    for reviewer in ("anna", "ben"):
        for query_id in ids[:10]:
            for name in CRITERIA:
                said = "no" if query_id == ids[0] or (query_id, reviewer) == (ids[1], "ben") else "yes"
                opened.answer(reviewer, query_id, name, said)
    opened.answer("anna", ids[0], "label:unnatural", "yes")
    (tmp_path / "sheet.csv").write_text(review.export_csv(opened), encoding="utf-8")

    from_sheet = review.read_verdicts(str(tmp_path / "sheet.csv"), bench)
    from_store = review.read_verdicts(str(tmp_path / "r.sqlite"), bench)

    assert from_sheet == from_store
    assert from_store[ids[0]] == Verdict(False, ("unnatural",))
    assert from_store[ids[1]].valid is None  # disputed
    assert [id for id, said in from_store.items() if said.valid] == ids[2:10]
    run = pl.DataFrame({"query_id": [ids[2]], "doc_id": [bench.queries[0].source_id], "score": [1.0]})
    found = evaluate.evaluate(bench, {"s": run}, "R@10", verdicts=from_store)
    assert set(found.query_ids) == set(ids[2:10])
    lines = " ".join(evaluate.rules(found))
    assert "1 queries were judged invalid" in lines and "19 reviewed queries have no verdict yet" in lines
    assert "14 queries were not reviewed" in lines


def test_a_sheet_of_another_benchmark_gives_no_verdicts(tmp_path: Path, bench: Benchmark) -> None:
    head = ",".join(["query_id", "reviewer", *CRITERIA, "labels", "note"])
    (tmp_path / "x.csv").write_text(f"{head}\nelsewhere,anna,yes,yes,yes,yes,,\n", encoding="utf-8")

    with pytest.raises(BadInput, match="1 of its queries are not in the benchmark, first 'elsewhere'"):
        review.read_verdicts(str(tmp_path / "x.csv"), bench)
    with pytest.raises(BadInput, match="there is no review"):
        review.read_verdicts(str(tmp_path / "none.sqlite"), bench)


def test_the_command_scores_only_what_was_judged_valid(tmp_path: Path, bench: Benchmark, opened: ReviewStore) -> None:
    import_module("renvoi.cli.evaluate")
    store.write_benchmark(tmp_path / "lamps", bench, card="")
    first = opened.items[0]
    for name in CRITERIA:
        opened.answer("anna", first.query_id, name, "yes")
    (tmp_path / "s.run").write_text(f"{first.query_id} Q0 {first.targets[0].id} 1 1.0 s\n", encoding="utf-8")
    command = ["evaluate", str(tmp_path / "lamps"), str(tmp_path / "s.run"), "--measures", "R@10", "--no-popularity",
               "--reviewed", str(tmp_path / "r.sqlite"), "--diagnose", "--json"]  # fmt: skip

    result = CliRunner().invoke(app, command)

    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["systems"]["s"]["R@10"] == 1.0
    assert (found["queries"], found["excluded"]["undecided"], found["excluded"]["not_reviewed"]) == (1, 27, 14)
    assert found["diagnosis"]["by_labels"][0]["verdict or label"] == "valid"
