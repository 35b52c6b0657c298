"""Fetching, against a server of our own on this machine that fails as servers do."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from typer.testing import CliRunner

from renvoi import registry
from renvoi.cli import fetch as fetch_command
from renvoi.cli._app import app
from renvoi.errors import BadInput
from renvoi.fetchers._polite import Fetched, Polite, fetch_one, is_whole

PAGE = b"<html><body><p>JUDGMENT OF THE COURT</p></body></html>"
Answer = Callable[[BaseHTTPRequestHandler], None]


def say(status: int, body: bytes = b"", **headers: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def half(handler: BaseHTTPRequestHandler) -> None:
    """Promise more than is sent, then hang up."""
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(PAGE) * 2))
    handler.end_headers()
    handler.wfile.write(PAGE)
    handler.close_connection = True


def sleep_long(handler: BaseHTTPRequestHandler) -> None:
    threading.Event().wait(0.6)
    handler.close_connection = True


class Server:
    """Answers requests in the order given; keeps what was asked."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.asked: list[tuple[str, dict[str, str]]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
                (server.answers.pop(0) if len(server.answers) > 1 else server.answers[0])(self)

            def log_message(self, *args: object) -> None:
                return

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.base = f"http://127.0.0.1:{self.http.server_address[1]}"
        self.thread = threading.Thread(target=self.http.serve_forever, daemon=True)
        self.thread.start()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.http.shutdown()
    made.http.server_close()
    made.thread.join()


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def client(waits: list[float]) -> Iterator[Polite]:
    with httpx.Client(timeout=0.3, follow_redirects=True, trust_env=False) as http:
        yield Polite(http, pause_s=0.0, tries=3, backoff_s=2.0, sleep=waits.append)


def get(client: Polite, server: Server, folder: Path, id: str = "62018CJ9001", source: str = "cellar") -> Fetched:
    fetcher = registry.load("fetchers", source)
    return fetch_one(client, fetcher, id, folder, language="en", format=fetcher.formats[0], base=server.base)


def test_a_judgment_is_kept_with_hash_and_address_and_not_fetched_twice(
    client: Polite, server: Server, tmp_path: Path
) -> None:
    server.answers = [say(200, PAGE, Content_Type="application/xhtml+xml")]

    first = get(client, server, tmp_path)
    second = get(client, server, tmp_path)

    assert (first.state, second.state, len(server.asked)) == ("fetched", "kept", 1)
    file = tmp_path / "62018CJ9001.en.xhtml"
    assert file.read_bytes() == PAGE
    note = json.loads((tmp_path / "62018CJ9001.en.xhtml.fetched.json").read_text())
    assert note["url"] == f"{server.base}/resource/celex/62018CJ9001?language=eng"
    assert note["bytes"] == len(PAGE)
    assert server.asked[0][1]["accept"] == "application/xhtml+xml"
    assert server.asked[0][1]["accept-language"] == "eng"


def test_a_damaged_file_is_fetched_again(client: Polite, server: Server, tmp_path: Path) -> None:
    server.answers = [say(200, PAGE)]
    get(client, server, tmp_path)
    file = tmp_path / "62018CJ9001.en.xhtml"
    file.write_bytes(PAGE[:10])
    assert not is_whole(file)

    again = get(client, server, tmp_path)

    assert again.state == "fetched"
    assert file.read_bytes() == PAGE


@pytest.mark.parametrize("trouble", [say(503), say(500), half, sleep_long], ids=["503", "500", "half body", "timeout"])
def test_trouble_is_tried_again_and_nothing_half_is_kept(
    client: Polite, server: Server, tmp_path: Path, trouble: Answer, waits: list[float]
) -> None:
    server.answers = [trouble, trouble, say(200, PAGE)]

    result = get(client, server, tmp_path)

    assert result.state == "fetched"
    assert (tmp_path / "62018CJ9001.en.xhtml").read_bytes() == PAGE
    assert waits == [2.0, 4.0]


def test_the_server_says_how_long_to_wait(client: Polite, server: Server, tmp_path: Path, waits: list[float]) -> None:
    server.answers = [say(429, Retry_After="7"), say(200, PAGE)]

    assert get(client, server, tmp_path).state == "fetched"
    assert waits == [7.0]


def test_a_server_that_stays_down_leaves_nothing_and_one_line(client: Polite, server: Server, tmp_path: Path) -> None:
    server.answers = [half]

    result = get(client, server, tmp_path)

    assert result.state == "failed"
    assert "try again later" in result.line
    assert "\n" not in result.line
    assert list(tmp_path.iterdir()) == []


def test_the_older_format_is_asked_for_where_there_is_no_newer(client: Polite, server: Server, tmp_path: Path) -> None:
    server.answers = [say(404), say(200, PAGE)]

    result = get(client, server, tmp_path)

    assert [file.name for file in result.files] == ["62018CJ9001.en.html"]
    assert [headers["accept"] for _, headers in server.asked] == ["application/xhtml+xml", "text/html"]


def test_a_not_found_page_with_status_200_is_no_document(client: Polite, server: Server, tmp_path: Path) -> None:
    server.answers = [say(200, b"<html>The requested document does not exist.</html>")]

    result = get(client, server, tmp_path)

    assert result.state == "failed"
    assert "not found" in result.line
    assert list(tmp_path.iterdir()) == []


def test_decisions_of_some_days_are_listed_page_by_page(
    client: Polite, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    from datetime import date

    from renvoi.fetchers import cellar as module

    monkeypatch.setattr(module, "_PAGE", 2)

    def page(*names: str) -> Answer:
        rows = [{"celex": {"value": name}, "date": {"value": "2017-01-02"}} for name in names]
        return say(200, json.dumps({"results": {"bindings": rows}}).encode())

    server.answers = [page("62015CJ9001", "62015CJ9002"), say(503), page("62016CO9003")]
    listing = registry.load("fetchers", "cellar").listing

    found = listing(client, server.base, date(2017, 1, 1), date(2018, 1, 1), "en")

    assert found == ["62015CJ9001", "62015CJ9002", "62016CO9003"]
    queries = [parse_qs(urlsplit(path).query)["query"][0] for path, _ in server.asked]
    assert "OFFSET 0" in queries[0]
    assert "OFFSET 2" in queries[2]
    assert '"2017-01-01"' in queries[0]


def test_acts_of_the_sejm_come_with_their_companions(client: Polite, server: Server, tmp_path: Path) -> None:
    server.answers = [say(200, b"{}")]

    result = get(client, server, tmp_path, "pl/du/2022/655", "sejm")

    assert [file.name for file in result.files] == [
        "DU-2022-655.html", "DU-2022-655.meta.json", "DU-2022-655.struct.json",
    ]  # fmt: skip
    assert [path for path, _ in server.asked] == [
        "/eli/acts/DU/2022/655/text.html", "/eli/acts/DU/2022/655", "/eli/acts/DU/2022/655/struct",
    ]  # fmt: skip


def test_a_danish_act_must_come_as_xml(client: Polite, server: Server, tmp_path: Path) -> None:
    server.answers = [say(200, b"<!doctype html><html>Vent</html>"), say(200, b"<Dokument/>")]

    first = get(client, server, tmp_path, "dk/lbk/2015/1089", "retsinformation")
    second = get(client, server, tmp_path, "2015/1089", "retsinformation")

    assert (first.state, second.state) == ("failed", "fetched")
    assert server.asked[1][0] == "/eli/lta/2015/1089/xml"


@pytest.mark.parametrize(
    ("source", "id"), [("cellar", "C-529/18"), ("sejm", "2022/655"), ("retsinformation", "selskabsloven")]
)
def test_what_is_no_identifier_is_refused_before_any_request(source: str, id: str) -> None:
    fetcher = registry.load("fetchers", source)

    with pytest.raises(BadInput, match="write"):
        fetcher.wanted(fetcher.base, id, "en", fetcher.formats[0])


def test_the_command_goes_on_after_a_failure_and_says_so(server: Server, tmp_path: Path) -> None:
    assert fetch_command
    server.answers = [say(404), say(404), say(200, PAGE)]
    arguments = ["fetch", "eurlex", "62018CJ9001", "62018CJ9002", "-o", str(tmp_path), "--base", server.base]

    result = CliRunner().invoke(app, [*arguments, "--pause", "0", "--json"])

    assert result.exit_code == 1
    assert (tmp_path / "62018CJ9002.en.xhtml").exists()
    assert "failed: 62018CJ9001" in result.output
