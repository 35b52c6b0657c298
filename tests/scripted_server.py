"""An OpenAI-compatible server on 127.0.0.1 that answers from a function, and misbehaves on demand.

It knows `Idempotency-Key`, so a request that was cut off and sent again is billed once; `billed` counts that.
"""

from __future__ import annotations

import heapq
import json
import os
import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[dict[str, Any]], str]
FAULTS = ("429", "500", "hang", "cut", "reset")


class ScriptedServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, answer: Answer, *, latency_s: float = 0.0, fault_rate: float = 0.0, hang_s: float = 5.0) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.latency_s = latency_s
        self.fault_rate = fault_rate
        self.hang_s = hang_s
        self.script: list[str] = []  # faults for the next requests, "" for none
        self.finish = "stop"
        self.retry_after = "0"
        self.refuses: dict[str, str] = {}  # field of the body > what is said of it with status 400
        self.count: Callable[[str], int] | None = None  # of tokens; then the server has a prefix cache as well
        self.last_prompt = ""
        self.raw: bytes | None = None  # sent with status 200 in place of a completion
        self.lock = threading.Lock()
        self.requests: list[dict[str, Any]] = []
        self.received: Counter[str] = Counter()  # by idempotency key
        self.billed: dict[str, str] = {}  # key > reply
        self.faults: list[str] = []  # of every request, in the order they came; "" for none
        self.draws = random.Random(7)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def next_fault(self) -> str:
        with self.lock:
            if self.script:
                fault = self.script.pop(0)
            else:
                fault = self.draws.choice(FAULTS) if self.draws.random() < self.fault_rate else ""
            self.faults.append(fault)
            return fault

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a client that was killed is no fault of the server


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two writes: the second would wait for an acknowledgement
    server: ScriptedServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = self.headers.get("Idempotency-Key", "")
        with self.server.lock:
            self.server.requests.append(body)
            self.server.received[key] += 1
        fault = self.server.next_fault()
        if fault == "hang":
            time.sleep(self.server.hang_s)
            return
        if fault == "reset":
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        time.sleep(self.server.latency_s)
        if fault in ("401", "429", "500"):
            self._send(
                int(fault), {"error": {"message": f"scripted {fault}"}}, {"Retry-After": self.server.retry_after}
            )
            return
        for field, complaint in self.server.refuses.items():
            if field in body:
                self._send(400, {"error": {"message": complaint}})
                return
        if self.server.raw is not None:
            self._send(200, self.server.raw)
            return
        if fault == "no_schema" and "response_format" in body:
            self._send(400, {"error": {"message": "unknown field response_format"}})
            return
        with self.server.lock:
            text = self.server.billed.setdefault(key, self.server.answer(body))
        usage: dict[str, Any] = {"completion_tokens": len(text.split())}
        if self.server.count is None:
            usage["prompt_tokens"] = len(json.dumps(body["messages"]).split())
        else:
            prompt = "".join(message["content"] for message in body["messages"])
            shared = os.path.commonprefix([prompt, self.server.last_prompt])
            self.server.last_prompt = prompt
            usage["prompt_tokens"] = self.server.count(prompt)
            usage["prompt_tokens_details"] = {"cached_tokens": self.server.count(shared)}
        self._send(
            200,
            {
                "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": self.server.finish}],
                "usage": usage,
            },
            cut=fault == "cut",
        )

    def _send(self, status: int, value: Any, headers: dict[str, str] | None = None, *, cut: bool = False) -> None:
        raw = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        if cut:
            raw = raw[: len(raw) // 2]  # a body that is no JSON
        for name, text in (headers or {}).items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *args: Any) -> None:
        pass


def held_s(fault: str, latency_s: float, timeout_s: float) -> float:
    """Return how long a request with this fault keeps its place in flight."""
    return {"hang": timeout_s, "reset": 0.0}.get(fault, latency_s)


def costless_s(n_calls: int, places: int, faults: list[str], latency_s: float, timeout_s: float) -> float:
    """Return the seconds of a client without any cost that never waits, given these faults in this order.

    A failed call is repeated at once, before what is new.
    """
    free = [0.0] * min(places, n_calls)
    again: list[float] = []  # when failed calls may be repeated
    left, last = n_calls, 0.0
    for fault in faults:
        now = heapq.heappop(free)
        if again and (again[0] <= now or not left):
            now = max(now, heapq.heappop(again))
        else:
            left -= 1
        ends = now + held_s(fault, latency_s, timeout_s)
        last = max(last, ends)
        heapq.heappush(free, ends)
        if fault:
            heapq.heappush(again, ends)
    return last


@contextmanager
def serve(answer: Answer, **options: Any) -> Iterator[ScriptedServer]:
    server = ScriptedServer(answer, **options)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)
