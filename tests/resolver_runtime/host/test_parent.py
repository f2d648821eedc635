"""The warm parent and the workers it starts, by the lines they speak: no web process, no other part of it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from resolver_runtime import wire

ENTRY = Path(wire.__file__).parent / "host" / "__main__.py"
WAIT_SECONDS = 30
SHOP = "from mcp.server.mcpserver import MCPServer\nmcp = MCPServer('shop')\n"

WAYS = {
    "forked": [str(ENTRY)],
    "in a fresh process": ["-c", f"import os, runpy; del os.fork; runpy.run_path({str(ENTRY)!r}, run_name='__main__')"],
}


@dataclass
class Warm:
    process: subprocess.Popen[bytes]
    directory: Path

    def order(self, **order: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(order).encode() + b"\n")
        self.process.stdin.flush()

    def heard(self, kind: str) -> dict[str, Any]:
        """The next line, which has to be of this kind."""
        assert self.process.stdout is not None
        frame: dict[str, Any] = json.loads(self.process.stdout.readline())
        assert frame["kind"] == kind
        return frame

    @contextmanager
    def started(self, text: str) -> Iterator[Any]:
        """A worker for a module with this text; the lines it reports."""
        (self.directory / "shop.py").write_text(text)
        paths = {name: str(self.directory / name) for name in ("socket", "reports")}
        job = {"module": "shop.py", "engine": "playground", "key": "00" * 32, "directory": str(self.directory), **paths}
        with socket.socket(socket.AF_UNIX) as listener:
            listener.settimeout(WAIT_SECONDS)
            listener.bind(paths["reports"])
            listener.listen(1)
            self.order(kind="start", number=4, job=job)
            connection, _ = listener.accept()
        connection.settimeout(WAIT_SECONDS)
        with connection, connection.makefile("rwb", buffering=0) as lines:
            yield lines


@contextmanager
def warm(directory: Path, arguments: list[str]) -> Iterator[Warm]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, *arguments], **pipes) as process:  # type: ignore[call-overload]
        parent = Warm(process, directory)
        parent.heard("ready")
        yield parent
        process.stdin.close()
        assert process.wait(WAIT_SECONDS) == 0


def loaded(lines: Any) -> dict[str, Any]:
    """The survey that the worker sends."""
    while frame := wire.decoded(lines.readline()):
        if frame["kind"] == "loaded":
            break
    survey: dict[str, Any] = frame["survey"]
    return survey


@pytest.mark.parametrize("arguments", WAYS.values(), ids=WAYS.keys())
def test_a_worker_surveys_its_module_answers_a_fence_and_ends_when_told(tmp_path: Path, arguments: list[str]) -> None:
    with warm(tmp_path, arguments) as parent, parent.started(SHOP) as lines:
        assert [server["name"] for server in loaded(lines)["servers"]] == ["shop"]
        assert parent.heard("started")["number"] == 4
        lines.write(wire.encoded({"kind": "fence", "number": 9}))
        assert wire.decoded(lines.readline()) == {"kind": "fenced", "number": 9}
        lines.write(wire.encoded({"kind": "shutdown"}))
        assert parent.heard("ended")["status"] == 0


@pytest.mark.parametrize("arguments", WAYS.values(), ids=WAYS.keys())
def test_a_worker_that_does_not_want_to_end_is_ended(tmp_path: Path, arguments: list[str]) -> None:
    text = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('here')\nwhile True: pass\n"
    with warm(tmp_path, arguments) as parent, parent.started(text) as lines:
        parent.heard("started")
        while b"here" not in lines.readline():
            pass
        parent.order(kind="kill", number=4)
        assert os.waitstatus_to_exitcode(parent.heard("ended")["status"]) == -9


def test_the_last_words_of_a_worker_that_dies_are_handed_over(tmp_path: Path) -> None:
    text = "import ctypes\nctypes.string_at(0)\n"
    with warm(tmp_path, WAYS["forked"]) as parent, parent.started(text) as lines:
        parent.heard("started")
        told = b"".join(lines)
        ended = parent.heard("ended")
        assert os.waitstatus_to_exitcode(ended["status"]) == -11
        assert "shop.py" in ended["words"]["stderr"] + told.decode()


def test_an_order_to_end_a_worker_that_is_gone_is_passed_over(tmp_path: Path) -> None:
    with warm(tmp_path, WAYS["forked"]) as parent:
        parent.order(kind="kill", number=17)
        with parent.started(SHOP) as lines:
            assert loaded(lines)["problems"] == []
