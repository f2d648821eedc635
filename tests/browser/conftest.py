"""A real server and a real browser. What a test needs to find things on the page is in `person.py`."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.person import WAIT_MS, Person
from tests.served import served

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
    with served("sample_tools") as playground, visiting(chromium, playground.address) as visitor:
        yield visitor


@pytest.fixture
def open_module(chromium: Browser, tmp_path: Path) -> Iterator[Callable[[str], Person]]:
    """Serves a module of this text and opens its page."""
    with ExitStack() as stack:

        def opened(text: str) -> Person:
            (tmp_path / "shop.py").write_text(text)
            playground = stack.enter_context(served(str(tmp_path / "shop.py")))
            return stack.enter_context(visiting(chromium, playground.address))

        yield opened
