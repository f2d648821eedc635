"""A playground in a process of its own, as a user starts it, and the processes behind it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import HTTPCookieProcessor, OpenerDirector, ProxyHandler, build_opener

START_SECONDS = 30
"""A cold start on a slow machine; a warm one takes under one."""
ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Running:
    """`started` is the `time.perf_counter()` just before the process was made; `url` holds the token."""

    process: subprocess.Popen[str]
    started: float
    url: str
    browser: OpenerDirector

    def get(self, address: str) -> tuple[bytes, str]:
        """Body and content type. Raises: OSError for any status but success."""
        with self.browser.open(address, timeout=START_SECONDS) as response:
            return response.read(), response.headers.get_content_type()

    def shown(self) -> None:
        """Until a module is on the page: its worker runs."""
        self.get(self.url)
        self.browser.addheaders = [("HX-Request", "true")]
        self.get(self.absolute("/"))

    def absolute(self, path: str) -> str:
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}{path}"

    def family(self) -> list[int]:
        """The process and all its descendants."""
        known = [self.process.pid]
        for pid in known:
            for children in Path(f"/proc/{pid}/task").glob("*/children"):
                known.extend(int(child) for child in children.read_text().split())
        return known


@contextmanager
def playground(*arguments: str) -> Iterator[Running]:
    """Started with the samples and ready to answer; ended, with its workers, at the exit."""
    command = [sys.executable, "-m", "app.cli", "serve", *arguments, "--port", "0", "--no-browser", "--offline"]
    started = time.perf_counter()
    data = tempfile.TemporaryDirectory()
    environment = {**os.environ, "PLAYGROUND_DATA": data.name}
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        browser = build_opener(ProxyHandler({}), HTTPCookieProcessor(CookieJar()))
        yield Running(process, started, _address(process), browser)
    finally:
        process.terminate()
        process.wait(START_SECONDS)
        data.cleanup()


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    for line in process.stdout:
        if "http://" in line:
            return line[line.index("http://") :].split()[0]
    raise RuntimeError(f"The playground ended with {process.wait()} before it printed its address.")
