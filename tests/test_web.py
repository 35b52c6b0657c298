"""The search page and its API: hits, references that open in place, pasted texts, limits, and a page of its own."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import httpx
import pytest
from chromium import BROWSER, Chromium
from typer.testing import CliRunner

from renvoi import store
from renvoi.cli import retrieve as _retrieve  # noqa: F401  (registers the commands)
from renvoi.cli import serve as _serve  # noqa: F401
from renvoi.cli._app import app as commands
from renvoi.errors import BadInput
from renvoi.ingest import ingest
from renvoi.local_page import serve_app
from renvoi.sample import sample_files
from renvoi.web.paste import MOST_CHARACTERS, fold_paragraphs
from renvoi.web.service import Service, open_service

QUESTION = "Hvornår skal bestyrelsen indkalde til husmøde?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("web")
    for name in ("da", "cjeu"):
        store.write_corpus(made / name, ingest(sample_files(name)).corpus)
    _call("index", str(made / "da"), "-o", str(made / "index"))
    return made


def _call(*words: str) -> None:
    assert CliRunner().invoke(commands, ["--quiet", *words], catch_exceptions=False).exit_code == 0


def _client(service: Service, **options: Any) -> Any:
    pytest.importorskip("fastapi", reason="the search page needs the extra 'web'")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it would rather have another client than httpx
        from fastapi.testclient import TestClient

    from renvoi.web.app import make_app

    return TestClient(make_app(service, **options), base_url="http://127.0.0.1")


@pytest.fixture(scope="module")
def danish(folder: Path) -> Any:
    with _client(open_service(folder / "index")) as client:
        yield client


@pytest.fixture(scope="module")
def judgments(folder: Path) -> Any:
    with _client(open_service(folder / "cjeu")) as client:
        yield client


def _references(reply: Any) -> list[dict[str, Any]]:
    return [one for citation in reply.json()["citations"] for one in citation["references"]]


def test_an_index_and_the_corpus_it_was_made_from_answer_alike(folder: Path, danish: Any) -> None:
    with _client(open_service(folder / "da")) as other:
        paths = ["/api/search?q=" + QUESTION, "/api/provision?id=" + _first(danish)["doc_id"]]
        for path in paths:
            assert other.get(path).json() == danish.get(path).json()


def _first(client: Any) -> dict[str, Any]:
    hit: dict[str, Any] = client.get("/api/search", params={"q": QUESTION}).json()["hits"][0]
    return hit


def test_a_hit_comes_with_its_provision_its_marks_and_why(danish: Any) -> None:
    reply = danish.get("/api/search", params={"q": QUESTION, "k": 3}).json()

    hits = reply["hits"]
    assert [hit["rank"] for hit in hits] == [1, 2, 3]
    marked = [
        part["text"][start:end].lower()
        for hit in hits for part in hit["provision"]["parts"] for start, end in part["marks"]
    ]  # fmt: skip
    assert "bestyrelsen" in marked
    assert all(hit["own"] or hit["through"] for hit in hits)
    assert set(reply["words"].values()) <= set(QUESTION.lower().rstrip("?").split())


def test_hits_can_be_kept_to_one_act_and_an_unknown_act_is_one_line(danish: Any) -> None:
    act = _first(danish)["document_id"]

    hits = danish.get("/api/search", params={"q": QUESTION, "document": act, "k": 50}).json()["hits"]
    wrong = danish.get("/api/search", params={"q": QUESTION, "document": "nowhere"})

    assert hits and {hit["document_id"] for hit in hits} == {act}
    assert wrong.status_code == 422 and "no 'nowhere'" in wrong.json()["error"]


def test_a_reference_leads_to_a_provision_that_says_it_is_cited(danish: Any, folder: Path) -> None:
    links = store.read_corpus(folder / "da").links.drop_nulls("target_id")
    source, target = links.select("source_id", "target_id").row(0)

    parts = danish.get("/api/provision", params={"id": source}).json()["parts"]
    opened = danish.get("/api/provision", params={"id": target}).json()
    citing = danish.get("/api/cited_by", params={"id": target}).json()

    ends = [end for ref in parts[0]["references"] for end in ref["ends"]]
    assert target in [end["target"] for end in ends]
    assert opened["id"] == target and opened["n_cited_by"] == citing["n"] > 0
    assert source in [one["id"] for one in citing["citing"]]


@pytest.mark.parametrize("path", ["provision", "cited_by"])
def test_an_unknown_provision_is_not_found_and_the_nearest_are_named(danish: Any, path: str) -> None:
    reply = danish.get(f"/api/{path}", params={"id": _first(danish)["doc_id"] + "9"})

    assert reply.status_code == 404
    assert "nearest: " in reply.json()["error"] and "\n" not in reply.json()["error"]


def test_a_pasted_text_is_read_with_what_each_reference_reaches_or_why_not(danish: Any) -> None:
    text = "§\u00a05.  Se § 1 i lov om boligfællesskaber, og\nså § 3 i lov om måneskin.\n\nStk. 2. Se stk. 1."

    reply = danish.post("/api/citations", json={"text": text, "jurisdiction": "da"})

    found = _references(reply)
    assert [text[one["start"] : one["end"]] for one in found] == ["§ 1", "§ 3", "stk. 1"]
    assert [one["ends"][0]["reason"] for one in found] == [None, "act_not_in_corpus", "no_act"]
    assert found[0]["ends"][0]["target"] and "names “" in found[0]["rule"]
    assert "lov om måneskin" in found[1]["ends"][0]["why"]
    assert found[2]["ends"][0]["label"] == "§ 5, stk. 1" and found[2]["ends"][0]["target"] is None


def test_a_pasted_text_from_an_act_reaches_that_act(danish: Any, folder: Path) -> None:
    corpus = store.read_corpus(folder / "da")
    section = next(id for id in corpus.provisions["id"] if id.endswith("~sec_3"))
    act = section.partition("~")[0]

    reply = danish.post("/api/citations", json={"text": "Se § 3 og § 4711.", "jurisdiction": "da", "document": act})

    first, second = _references(reply)
    assert first["ends"][0]["target"] == section
    assert second["ends"][0]["reason"] == "no_such_provision" and "has no § 4711" in second["ends"][0]["why"]


def test_a_paragraph_of_a_judgment_gives_pincites_that_open_the_paragraph(judgments: Any, folder: Path) -> None:
    corpus = store.read_corpus(folder / "cjeu")
    target = corpus.links.drop_nulls("target_id").filter(corpus.links.drop_nulls("target_id")["act"].str.contains("CJ"))
    source, id = target.select("source_id", "target_id").row(0)

    parts = judgments.get("/api/provision", params={"id": source}).json()["parts"]
    opened = judgments.get("/api/provision", params={"id": id}).json()
    pasted = judgments.post("/api/citations", json={"text": parts[0]["text"], "jurisdiction": "cjeu"})

    assert opened["parts"][0]["text"] and opened["label"].startswith("paragraph ")
    assert id in [end["target"] for one in _references(pasted) for end in one["ends"]]
    assert judgments.get("/api/search", params={"q": opened["parts"][0]["text"][:200], "k": 1}).json()["hits"]


def test_markup_in_a_question_or_a_text_comes_back_as_text(danish: Any) -> None:
    evil = "<script>alert('§ 1')</script> & <b>stk. 2</b>"

    found = danish.get("/api/search", params={"q": evil})
    read = danish.post("/api/citations", json={"text": evil, "jurisdiction": "da"})

    assert found.headers["content-type"] == read.headers["content-type"] == "application/json"
    assert found.json()["question"] == evil
    assert all(evil[one["start"] : one["end"]] == one["text"] for one in _references(read))
    assert "innerHTML" not in danish.get("/").text and "insertAdjacentHTML" not in danish.get("/").text


def test_what_is_wrong_is_one_line_of_json(danish: Any) -> None:
    wrong = [
        (danish.get("/api/search"), 422), (danish.get("/api/search", params={"q": "  "}), 422),
        (danish.get("/api/search", params={"q": "x", "k": 0}), 422), (danish.get("/nowhere"), 404),
        (danish.get("/api/search", params={"q": "x", "before": "soon"}), 422),
        (danish.get("/api/search", params={"q": "x", "model": "nomodel"}), 422),
        (danish.get("/api/search", params={"q": "x" * 5001}), 422),
        (danish.post("/api/citations", json={"text": "§ 1"}), 422),
        (danish.post("/api/citations", json={"text": "§ 1", "jurisdiction": "xx"}), 422),
        (danish.post("/api/citations", json={"text": "§ 1", "jurisdiction": "da", "document": "no"}), 422),
        (danish.post("/api/citations", json={"text": "x" * (MOST_CHARACTERS + 1), "jurisdiction": "da"}), 413),
        (danish.post("/api/citations", json={"text": "x" * 1_100_000, "jurisdiction": "da"}), 413),
        (danish.post("/api/citations", content="text=1", headers={"Content-Type": "text/plain"}), 415),
        (danish.post("/api/citations", content="{", headers={"Content-Type": "application/json"}), 422),
    ]  # fmt: skip

    for reply, status in wrong:
        assert reply.status_code == status, reply.text
        assert list(reply.json()) == ["error"] and reply.json()["error"] and "\n" not in reply.json()["error"]


def test_the_page_is_whole_and_asks_no_other_host(danish: Any) -> None:
    reply = danish.get("/")

    assert "/*style*/" not in reply.text and "/*script*/" not in reply.text
    assert "http://" not in reply.text and "https://" not in reply.text and "src=" not in reply.text
    assert "default-src 'none'" in reply.headers["content-security-policy"]


def test_the_api_is_described_on_a_page_that_asks_no_other_host_and_as_openapi(danish: Any) -> None:
    page, schema = danish.get("/api"), danish.get("/api/openapi.json").json()

    assert {"/api/search", "/api/provision", "/api/cited_by", "/api/citations"} <= set(schema["paths"])
    assert all(path in page.text for path in schema["paths"])
    assert "http://" not in page.text and "https://" not in page.text


def test_a_page_elsewhere_cannot_take_the_host_s_name_unless_all_may_ask(folder: Path, danish: Any) -> None:
    open_to_all = _client(open_service(folder / "index"), host="0.0.0.0")

    assert danish.get("/api/about", headers={"Host": "evil.example"}).status_code == 400
    assert open_to_all.get("/api/about", headers={"Host": "box.local"}).status_code == 200


def test_an_index_of_a_benchmark_shows_texts_and_links_without_a_corpus(folder: Path) -> None:
    bench = folder / "bench"
    corpus = store.read_corpus(folder / "da")
    from renvoi.chunk import chunk_corpus, make_collection, make_links
    from renvoi.types import Benchmark

    cut = chunk_corpus(corpus)
    links = make_links(corpus, cut)
    empty = links.clear().rename({"source_id": "query_id", "target_id": "doc_id"}).drop("date")
    made = Benchmark("crossref", "da", {"chunks": make_collection(corpus, cut)}, (), {}, empty, links)
    store.write_benchmark(bench, made, card="")
    _call("index", str(bench), "-o", str(folder / "of_bench"))
    source, target = links.select("source_id", "target_id").row(0)

    with _client(open_service(folder / "of_bench")) as client:
        about = client.get("/api/about").json()
        view = client.get("/api/provision", params={"id": source}).json()
        citing = client.get("/api/cited_by", params={"id": target}).json()
        missing = client.get("/api/provision", params={"id": "x"})

    assert about["has_corpus"] is False
    assert target in [one["id"] for one in view["cites"]] and view["parts"][0]["text"]
    assert source in [one["id"] for one in citing["citing"]]
    assert missing.status_code == 404


def test_an_index_without_texts_cannot_be_served(folder: Path) -> None:
    _call("index", str(folder / "da"), "-o", str(folder / "bare"), "--no-text")

    with pytest.raises(BadInput, match="keeps no texts to show; build it again without --no-text"):
        open_service(folder / "bare")


def test_what_is_neither_corpus_nor_index_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is neither a corpus nor an index"):
        open_service(tmp_path)


def test_a_port_that_is_taken_is_one_line(danish: Any) -> None:
    pytest.importorskip("uvicorn", reason="the search page needs the extra 'web'")
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]

        with pytest.raises(BadInput, match=f"^127.0.0.1:{port}: cannot be listened at .*; give another --port"):
            serve_app(danish.app, "the page", port=port)


def test_folding_keeps_where_every_character_stood() -> None:
    text = "  a\u00ad b\t\tc\r\n d \n \n\n e"

    folded = list(fold_paragraphs(text))

    assert [one.text for one in folded] == ["a b c d", "e"]
    assert all(text[at] == char for one in folded for char, at in zip(one.text, one.places, strict=True) if char != " ")


def _start(folder: Path, source: str) -> tuple[subprocess.Popen[bytes], int]:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = int(held.getsockname()[1])
    command = [sys.executable, "-m", "renvoi", "-q", "serve", source, "--port", str(port)]
    paths = os.pathsep.join([str(Path(__file__).parent.parent / "src"), os.environ.get("PYTHONPATH", "")])
    server = subprocess.Popen(command, cwd=folder, env={**os.environ, "PYTHONPATH": paths})
    for _ in range(600):
        try:
            httpx.get(f"http://127.0.0.1:{port}/api/about", verify=False)
            return server, port
        except httpx.TransportError:
            assert server.poll() is None, "the server did not start"
            time.sleep(0.1)
    raise AssertionError("the server does not answer")


@pytest.mark.slow
def test_a_reader_finds_opens_and_pastes_with_the_keyboard(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("uvicorn", reason="the search page needs the extra 'web'")
    if not BROWSER:
        pytest.skip("no Chromium is installed here")
    server, port = _start(folder, "index")
    browser = Chromium(tmp_path / "profile")
    try:
        browser.call("Page.navigate", url=f"http://127.0.0.1:{port}/")
        browser.wait("document.querySelectorAll('.acts li').length > 0 && document.activeElement.id === 'q'")
        browser.press(*"Hvem indkalder <b>bestyrelsen</b>?", "Enter")
        browser.wait("document.querySelectorAll('#results .card mark').length > 0")
        browser.run("document.activeElement.blur()")
        browser.press("j", "j")
        assert browser.run("[...document.querySelectorAll('.card')].indexOf(document.activeElement)") == 1
        browser.run("document.querySelector('#results .ref.yes').focus()")
        browser.press("Enter")
        browser.wait("!!document.querySelector('.open .law p')")
        browser.run("(document.querySelector('.open .ref') || document.querySelector('.open .cited')).focus()")
        browser.press("Enter")
        browser.wait("document.querySelectorAll('.open .open').length === 1")
        browser.press("Escape", "Escape")
        browser.wait("document.querySelectorAll('.open').length === 0")
        assert browser.run("document.activeElement.className") == "ref yes"
        browser.run("location.hash = '#read'")
        browser.wait("document.activeElement.id === 'text'")
        browser.run("window.alert = () => { window.ran = true }")
        browser.press(*"Se § 3 i lov om sne <img src=x onerror=alert(1)>.")
        browser.run("document.querySelector('#paste').requestSubmit()")
        browser.wait("document.querySelectorAll('.found .ref.no').length === 1")
        assert "<img src=x" in browser.run("document.querySelector('.read').textContent")
        assert browser.run("document.querySelectorAll('.read img').length") == 0 and not browser.run("window.ran")
        browser.call("Emulation.setDeviceMetricsOverride", width=360, height=700, deviceScaleFactor=2, mobile=True)
        assert browser.run("document.documentElement.scrollWidth") == 360  # a phone need not be pushed sideways
        browser.call("Page.navigate", url=f"http://127.0.0.1:{port}/#q=bestyrelsen")
        browser.wait("document.querySelectorAll('#results .card').length > 0")
    finally:
        browser.close()
        server.kill()
        server.wait()


def test_the_printed_json_of_the_api_is_that_of_the_command(folder: Path, danish: Any) -> None:
    result = CliRunner().invoke(commands, ["-q", "search", str(folder / "index"), QUESTION, "--json"])

    hits = danish.get("/api/search", params={"q": QUESTION}).json()["hits"]

    printed = json.loads(result.stdout)
    assert [{k: v for k, v in hit.items() if k != "provision"} for hit in hits] == [
        {k: v for k, v in row.items() if k != "query_id"} for row in printed
    ]


def test_a_paragraph_of_a_judgment_says_in_the_api_what_raised_it(judgments: Any) -> None:
    question = "an operator cannot rely on its own assessment of the conditions"

    hit = judgments.get("/api/search", params={"q": question, "k": 1}).json()["hits"][0]

    assert hit["passages"] == [question]
    assert hit["weighed"][0]["weight"] > 0 and hit["weighed"][0]["says"]


@pytest.mark.slow
def test_the_page_says_why_a_paragraph_of_a_judgment_was_found(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("uvicorn", reason="the search page needs the extra 'web'")
    if not BROWSER:
        pytest.skip("no Chromium is installed here")
    server, port = _start(folder, "cjeu")
    browser = Chromium(tmp_path / "profile")
    try:
        question = "an autonomous and uniform interpretation throughout the European Union"
        browser.call("Page.navigate", url=f"http://127.0.0.1:{port}/#q={question}")
        browser.wait("document.querySelectorAll('#results .card .why').length > 0")
        why = browser.run("document.querySelector('#results .card .why').textContent")
        assert why.startswith(f"Found: says “{question}”; has ")
        browser.run(
            "[...document.querySelectorAll('.card button')].find(b => b.textContent.startsWith('Read p')).click()"
        )
        browser.wait("document.querySelectorAll('.open .law p').length > 0")
        assert "is cited by paragraph" in why and "cited 2 times, last 2030-02-28" in why and "raised by " in why
    finally:
        browser.close()
        server.kill()
        server.wait()
