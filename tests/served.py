"""The playground in a process of its own, as a person starts it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.parse import parse_qs, urlsplit

ROOT = Path(__file__).parents[1]
START_SECONDS = 20
"""A cold start on a busy machine of two cores; a warm one takes under one."""


@dataclass(frozen=True)
class Served:
    """`address` is what the command printed, token included."""

    process: subprocess.Popen[str]
    address: str

    @property
    def base(self) -> str:
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def token(self) -> str:
        return parse_qs(urlsplit(self.address).query)["token"][0]


@contextmanager
def served(*arguments: str, port: int = 0, data: Path | None = None, errors: IO[str] | None = None) -> Iterator[Served]:
    """`playground serve`, on a free port and with nothing kept from before unless told otherwise.

    `errors` is where its standard error goes.
    """
    command = [sys.executable, "-m", "app.cli", "serve", *arguments, "--port", str(port), "--no-browser", "--offline"]
    with tempfile.TemporaryDirectory() as empty:
        environment = {**os.environ, "PLAYGROUND_DATA": str(data or empty)}
        started = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment)
        with ended_after(started) as playground:
            yield playground


@contextmanager
def ended_after(process: subprocess.Popen[str]) -> Iterator[Served]:
    """A playground that has printed its address, until the end of the block."""
    with process:
        try:
            yield Served(process, _address(process))
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(START_SECONDS)


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if "http://" in line:
            return line[line.index("http://") :].split()[0]
    raise AssertionError(f"playground ended with {process.wait(START_SECONDS)} before it printed its address")
