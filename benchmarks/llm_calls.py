"""A thousand calls at 64 in flight against a server of one second and 5 % faults: how near to the ideal time.

    python benchmarks/llm_calls.py --calls 1000 --in-flight 64 --faults 0.05 --json

The server runs in another process and notes the fault of every request. Two ideals:

- `even`: every request, the faulty ones and their repeats too, for as long as the server holds it (a hang: the client's
  timeout; a reset: nothing), shared evenly by the places in flight. No client can reach it: calls cannot be cut.
- `costless`: a client without any cost of its own that never waits, given these faults in this order, one call a place.

The last line is `{"ratio": …, "ratio_even": …, "wall_s": …, "costless_s": …, "even_s": …, "processor_s": …, …}`;
`ratio` is to the costless client.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from renvoi import progress
from renvoi.llm.cache import open_cache
from renvoi.llm.calls import Call, Failure, Model
from renvoi.llm.client import Limits, ask

TESTS = Path(__file__).parent.parent / "tests"
sys.path.insert(0, str(TESTS))
SERVER = """
import json, sys
from scripted_server import serve
latency, rate, hang = map(float, sys.argv[1:])
with serve(lambda body: "reply", latency_s=latency, fault_rate=rate, hang_s=hang) as server:
    print(server.url, flush=True)
    sys.stdin.readline()
    print(json.dumps({"requests": len(server.requests), "faults": server.faults}), flush=True)
"""


def main() -> None:
    """Measure and print."""
    from scripted_server import costless_s, held_s

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--latency", type=float, default=1.0, help="seconds that the server takes for a reply")
    parser.add_argument("--timeout", type=float, default=2.0, help="seconds that the client waits")
    parser.add_argument("--faults", type=float, default=0.05, help="share of requests that meet 429, 500, hang …")
    parser.add_argument("--wait", type=float, default=0.05, help="seconds before the first retry")
    parser.add_argument("--words", type=int, default=800, help="of a prompt")
    parser.add_argument("--json", action="store_true", help="print the last line only")
    options = parser.parse_args()
    progress.quiet = options.json
    law = "Andelshaveren har brugsret til sin bolig. " * (options.words // 6)
    calls = [Call(f"c{i}", "You answer.", f"question {i}", shared=law) for i in range(options.calls)]
    command = [sys.executable, "-c", SERVER, str(options.latency), str(options.faults), str(options.timeout + 1)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])}
    with (
        tempfile.TemporaryDirectory() as folder,
        open_cache(Path(folder) / "replies.sqlite") as cache,
        subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as server,
    ):  # fmt: skip
        assert server.stdin and server.stdout
        model = Model("m", server.stdout.readline().strip())
        limits = Limits(in_flight=options.in_flight, timeout_s=options.timeout, wait_s=options.wait)
        started, processor = time.monotonic(), time.process_time()
        found, _ = ask(calls, model, cache, limits=limits)
        wall, processor = time.monotonic() - started, time.process_time() - processor
        server.stdin.write("\n")
        server.stdin.flush()
        told = json.loads(server.stdout.readline())
    held = [held_s(fault, options.latency, options.timeout) for fault in told["faults"]]
    even = sum(held) / options.in_flight
    costless = costless_s(options.calls, options.in_flight, told["faults"], options.latency, options.timeout)
    ended = Counter(end.reason if isinstance(end, Failure) else "reply" for end in found.values())
    assert sum(ended.values()) == options.calls
    result = {
        "ratio": round(wall / costless, 3), "ratio_even": round(wall / even, 3), "wall_s": round(wall, 2),
        "costless_s": round(costless, 2), "even_s": round(even, 2), "processor_s": round(processor, 2),
        "ended": ended, "requests": told["requests"], "faults": Counter(filter(None, told["faults"])),
        "calls": options.calls, "in_flight": options.in_flight, "latency_s": options.latency,
        "wait_before_retry_s": options.wait,
        "load": round(os.getloadavg()[0], 1), "machine": f"{platform.machine()}, Python {platform.python_version()}",
    }  # fmt: skip
    print(json.dumps(result))  # noqa: T201


if __name__ == "__main__":
    main()
