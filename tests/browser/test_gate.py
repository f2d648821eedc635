"""What another page in the same browser can do, and what a page in the queue does."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import httpx2
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import visiting
from tests.browser.person import WAIT_MS
from tests.served import ROOT, ended_after, served

CALL = "module=0-bookshop&server=0&tool=order_book&field:title=Dune"
ATTACKS = """async (base) => {
  const seen = {};
  const attempt = async (name, act) => { try { seen[name] = await act(); } catch (error) { seen[name] = "refused"; } };
  const read = async (path, init) => (await fetch(base + path, init)).text();
  const form = (body, type) => ({method: "POST", mode: "no-cors", credentials: "include", body,
    headers: {"content-type": type}});
  await attempt("page", () => read("/", {credentials: "include"}));
  await attempt("api", () => read("/api/graph", {credentials: "include"}));
  await attempt("json", () => read("/api/call", {method: "POST", credentials: "include", body: "{}",
    headers: {"content-type": "application/json"}}));
  for (const type of ["application/x-www-form-urlencoded", "text/plain"])
    for (const path of ["/calls", "/client", "/api/call"])
      await attempt(`${type} ${path}`, async () => (await fetch(base + path, form("BODY", type))).type);
  await attempt("socket", () => new Promise((resolve, reject) => {
    const socket = new WebSocket(base.replace("http", "ws") + "/live?call=none");
    socket.onopen = () => resolve("open");
    socket.onerror = reject;
  }));
  const loads = (tag, path) => new Promise((resolve, reject) => {
    const element = Object.assign(document.createElement(tag), {src: base + path});
    element.onload = () => resolve("loaded");
    element.onerror = reject;
    document.body.append(element);
  });
  await attempt("script", () => loads("script", "/static/page.js"));
  await attempt("image", () => loads("img", "/static/icon.svg"));
  return seen;
}""".replace("BODY", CALL)


@contextmanager
def another_site(html: str) -> Iterator[str]:
    """The address of a server on a port of its own, whose every page is this one."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_page_on_another_port_neither_reads_nor_changes_anything(chromium: Browser) -> None:
    with served("sample_tools/bookshop.py") as playground, another_site("<h1>Cats</h1>") as site:
        context = chromium.new_context()
        context.set_default_timeout(WAIT_MS)
        own = context.new_page()
        own.goto(playground.address)
        expect(own.get_by_role("button", name="Call", exact=True)).to_be_visible()
        before = own.locator("#main").inner_html()
        other = context.new_page()
        other.goto(site)
        seen = other.evaluate(ATTACKS, playground.base)
        assert (len(seen), set(seen.values())) == (12, {"refused"})
        posts_a_form(other, playground.base)
        is_not_framed(other, playground.base)
        own.reload()
        expect(own.get_by_role("button", name="Call", exact=True)).to_be_visible()
        assert own.locator("#main").inner_html() == before
        context.close()


def posts_a_form(page: Page, base: str) -> None:
    """A form that is sent as a navigation is refused in sight."""
    fields = "".join(f'<input name="{pair.split("=")[0]}" value="{pair.split("=")[1]}">' for pair in CALL.split("&"))
    page.set_content(f'<form method="post" action="{base}/calls">{fields}<button>Cats</button></form>')
    with page.expect_navigation() as went:
        page.get_by_role("button").click()
    assert went.value is not None
    assert went.value.status == 403


def is_not_framed(page: Page, base: str) -> None:
    """In the place of the playground a frame shows the browser's own page for what may not be framed."""
    with page.expect_event("framenavigated", lambda frame: frame.parent_frame is not None) as navigated:
        page.set_content(f'<iframe src="{base}/"></iframe>')
    assert navigated.value.url.startswith("chrome-error:")


FULL = """
from app.main import serve
from app.settings import Settings
from app.workspaces import Limits
serve(
    Settings(("sample_tools/bookshop.py",), port=0, no_browser=True, offline=True, workspaces="browser"),
    Limits(workspaces=1, idle=3, look=0.2),
)
"""


def test_a_page_in_the_queue_becomes_the_playground_by_itself(chromium: Browser) -> None:
    process = subprocess.Popen([sys.executable, "-c", FULL], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    with ended_after(process) as playground:
        assert httpx2.get(playground.address, follow_redirects=False, trust_env=False).status_code == 303
        with httpx2.Client(follow_redirects=True, trust_env=False) as first:
            assert "In the queue" not in first.get(playground.address).text
            with visiting(chromium, playground.address) as late:
                expect(late.page.get_by_role("status")).to_contain_text("Your place in the queue: 1.")
                expect(late.page.get_by_role("button", name="Call", exact=True)).to_be_visible()
