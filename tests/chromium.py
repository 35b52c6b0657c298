"""A headless Chromium driven through pipes, for tests of pages."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

BROWSER = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), "")

_CODES = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowRight": 39}


class Chromium:
    """One window. Messages are JSON ended by NUL, on file descriptors 3 and 4 of the browser."""

    def __init__(self, folder: Path) -> None:
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()
        # The browser wants 3 and 4; a shell puts them there.
        script = f'exec "$0" "$@" 3<&{to_read} 4>&{to_write}'
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run"]
        flags += [f"--user-data-dir={folder}", "--window-size=1280,900", "about:blank"]
        self._process = subprocess.Popen(
            ["bash", "-c", script, BROWSER, *flags], pass_fds=(to_read, to_write),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(to_read)
        os.close(to_write)
        self._rest, self._n, self._session = b"", 0, ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")

    def call(self, method: str, **params: Any) -> Any:
        self._n += 1
        message: dict[str, Any] = {"id": self._n, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self._rest:
                got = os.read(self._from, 1 << 16)
                assert got, "the browser has ended"
                self._rest += got
            line, self._rest = self._rest.split(b"\0", 1)
            reply = json.loads(line)
            if reply.get("id") == self._n:
                assert "error" not in reply, reply
                return reply["result"]

    def run(self, script: str) -> Any:
        """Return what a script of the page comes to."""
        return self.call("Runtime.evaluate", expression=script, returnByValue=True)["result"].get("value")

    def press(self, *keys: str) -> None:
        """Press keys as a person does, by name or by character."""
        for key in keys:
            text = {"text": "\r" if key == "Enter" else key} if len(key) == 1 or key == "Enter" else {}
            code = _CODES.get(key, 0)
            self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def wait(self, condition: str, seconds: float = 20) -> None:
        """Wait until a script of the page comes to true."""
        end = time.monotonic() + seconds
        while not self.run(condition):
            assert time.monotonic() < end, f"not within {seconds} s: {condition}"
            time.sleep(0.05)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)
