"""A real server and a real browser. What a test needs to find things on the page is in `person.py`."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.person import WAIT_MS, Person

ROOT = Path(__file__).parents[2]
START_SECONDS = 20
"""A cold start on a busy machine of two cores; a warm one takes under one."""
BROWSER_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def serving(*paths: str) -> Iterator[str]:
    """`playground serve` on a free port: the address it prints, token included."""
    command = [sys.executable, "-m", "app.cli", "serve", *paths, "--port", "0", "--no-browser", "--offline"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield _address(process)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(START_SECONDS)


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if "http://" in line:
            return line[line.index("http://") :].split()[0]
    raise AssertionError(f"playground ended with {process.wait(START_SECONDS)} before it printed its address")


@contextmanager
def visiting(chromium: Browser, address: str) -> Iterator[Person]:
    """Someone who has just opened this address; at the end the page must have had no error."""
    context = chromium.new_context(viewport={"width": 1280, "height": 720})
    context.set_default_timeout(WAIT_MS)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.goto(address)
    yield Person(page)
    context.close()
    assert faults == []


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert path, "No Chromium is installed. `make test` installs Debian's; elsewhere install one and run it again."
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(BROWSER_FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def person(chromium: Browser) -> Iterator[Person]:
    """Someone who has just started the playground with the samples, and opened its page."""
    with serving("sample_tools") as address, visiting(chromium, address) as visitor:
        yield visitor


@pytest.fixture
def open_module(chromium: Browser, tmp_path: Path) -> Iterator[Callable[[str], Person]]:
    """Serves a module of this text and opens its page."""
    with ExitStack() as stack:

        def opened(text: str) -> Person:
            (tmp_path / "shop.py").write_text(text)
            address = stack.enter_context(serving(str(tmp_path / "shop.py")))
            return stack.enter_context(visiting(chromium, address))

        yield opened
