"""A real server and a real browser. What a test needs to find things on the page is in `person.py`."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
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


def start_playground(*arguments: str) -> tuple[subprocess.Popen[str], str]:
    """Start `playground serve` on a free port; the process and the address it prints, token included."""
    command = [sys.executable, "-m", "app.cli", "serve", *arguments, "--port", "0", "--no-browser", "--offline"]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    )
    assert process.stdout is not None
    for line in process.stdout:
        if "http://" in line:
            return process, line[line.index("http://") :].split()[0]
    raise AssertionError(f"playground ended with {process.wait(START_SECONDS)} before it printed its address")


def end(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(5)


@pytest.fixture(scope="session")
def playground() -> Iterator[str]:
    process, address = start_playground("sample_tools")
    yield address
    end(process)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert path, "No Chromium is installed. `make test` installs Debian's; elsewhere install one and run it again."
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(BROWSER_FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def person(chromium: Browser, playground: str) -> Iterator[Person]:
    """Someone who has just opened the page with the address the command printed."""
    context = chromium.new_context(viewport={"width": 1280, "height": 720})
    context.set_default_timeout(WAIT_MS)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.goto(playground)
    yield Person(page)
    context.close()
    assert faults == []
