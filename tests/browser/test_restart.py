"""What a person has typed, and the page that stays open, when the playground is killed and started again."""

from __future__ import annotations

import signal
import socket
from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.browser.person import WAIT_MS, Person
from tests.served import START_SECONDS, served


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def test_what_is_typed_and_not_sent_outlives_a_reload(person: Person) -> None:
    person.open("try_chain.py", "plan_trip")
    person.call(Traveller="Ben")
    person.question("ask_destination").get_by_label("City").fill("Porto")
    person.page.reload()
    expect(person.question("ask_destination").get_by_label("City")).to_have_value("Porto")


def test_an_open_page_outlives_a_kill_and_runs_again_with_what_was_answered_and_typed(
    chromium: Browser, tmp_path: Path
) -> None:
    port = free_port()
    context = chromium.new_context(viewport={"width": 1280, "height": 720})
    context.set_default_timeout(WAIT_MS)
    page, other = context.new_page(), context.new_page()
    person = Person(page)
    with served("sample_tools", port=port, data=tmp_path) as playground:
        page.goto(playground.address)
        person.open("try_chain.py", "plan_trip")
        person.call(Traveller="Ben")
        person.answer("ask_destination", "Accept", City="Porto")
        person.question("ask_stay").get_by_label("Nights").fill("3")
        playground.process.send_signal(signal.SIGKILL)
        playground.process.wait(START_SECONDS)
        expect(page.get_by_text("The playground does not answer.")).to_be_visible()
    with served("sample_tools", port=port, data=tmp_path) as playground:
        other.goto(playground.address)  # the browser is let in again, and so is the page that stayed open
        person.sees_result("The playground ended while this call was under way")
        person.press("Run again with the same answers", person.result)
        expect(person.question("ask_stay").get_by_label("Nights")).to_have_value("3")
        expect(person.question("ask_stay")).to_contain_text("How many nights in Porto?")
        context.close()
