"""What holds for every call: clicks, what the page tells, Stop, and what outlives a reload."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.person import Person

both_eras = pytest.mark.parametrize("era", ["2026-07-28", "2025-11-25"])
COUNT_CLICKS = (
    "window.clicks = 0; addEventListener('click', (event) => { if (event.isTrusted) window.clicks += 1; }, true)"
)


def clicks(page: Page) -> int:
    counted: int = page.evaluate("window.clicks")
    return counted


@pytest.mark.parametrize("button", ["Yes", "No"])
def test_from_the_open_page_to_an_answered_question_it_takes_at_most_four_clicks(person: Person, button: str) -> None:
    person.page.evaluate(COUNT_CLICKS)
    person.choose("order_book")
    title = person.arguments.get_by_label("Title", exact=True)
    title.click()
    title.fill("Neuromancer")
    person.press("Call", person.arguments)
    person.answer("confirm_backorder", button)
    person.sees_result("Neuromancer" if button == "Yes" else "No order placed.")
    assert clicks(person.page) <= 4


def test_the_graph_shows_each_state_of_a_call(person: Person) -> None:
    person.choose("order_book")
    for name, kind in (("title", "argument"), ("check_stock", "resolver"), ("order_book", "tool")):
        person.sees_node(name, kind, "idle")
    person.call(Title="Neuromancer")
    person.sees_node("confirm_backorder", "resolver", "waiting for you")
    person.sees_node("order_book", "tool", "not reached")
    person.answer("confirm_backorder", "Yes")
    person.sees_node("confirm_backorder", "resolver", "answered")
    person.sees_node("order_book", "tool", "done")


def test_a_value_sent_for_a_hidden_parameter_is_ignored_and_said_so(person: Person) -> None:
    person.choose("order_book")
    person.press("Raw JSON", person.arguments)
    person.arguments.get_by_label("Arguments as raw JSON").fill('{"title": "Neuromancer", "stock": 99}')
    person.press("Call", person.arguments)
    person.answer("confirm_backorder", "No")
    person.sees_result("No order placed.")
    expect(person.arguments).to_contain_text(
        "The value sent for stock was ignored: check_stock fills it, and no client can."
    )


MISSING = [
    ("elicitation.form", "step3_confirm.py", "order_book", {"Title": "Neuromancer"}, '"elicitation"'),
    ("sampling", "step4_recommend.py", "recommend_book", {"Genre": "mystery"}, '"sampling"'),
    ("roots", "try_roots.py", "list_projects", {}, '"roots"'),
    ("sampling.tools", "try_research.py", "research", {"Question": "Who?"}, '"tools"'),
]


@both_eras
@pytest.mark.parametrize(("capability", "module", "tool", "arguments", "required"), MISSING)
def test_a_missing_capability_is_refused_with_what_was_required(
    person: Person, era: str, capability: str, module: str, tool: str, arguments: dict[str, str], required: str
) -> None:
    person.choose_era(era)
    person.switch(capability, False)
    person.open(module, tool)
    person.call(**arguments)
    person.sees_result("-32021")
    person.sees_result(required)


LOOPS = {
    "sync": "def spin() -> int:\n    while True: pass",
    "async": "async def spin() -> int:\n    while True: pass",
}
SPINNING = """
from typing import Annotated
from mcp.server.mcpserver import MCPServer, Resolve
mcp = MCPServer("Spinning")
{loop}
@mcp.tool()
def wait(number: Annotated[int, Resolve(spin)]) -> str:
    return "never"
@mcp.tool()
def hello() -> str:
    return "Hello again"
"""


@both_eras
@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS.keys())
def test_stop_ends_an_endless_resolver_and_the_next_call_works(
    open_module: Callable[[str], Person], era: str, loop: str
) -> None:
    person = open_module(SPINNING.format(loop=loop))
    person.choose_era(era)
    person.choose("wait")
    person.call()
    person.sees_node("spin", "resolver", "running")
    person.page.get_by_role("button", name="Stop").click()
    person.sees_result("Stopped")
    person.choose("hello")
    person.call()
    person.sees_result("Hello again")


HURRIED = """
from typing import Annotated
from mcp.server.mcpserver import Elicit, MCPServer, Resolve
from mcp.server.request_state import RequestStateSecurity
from pydantic import BaseModel
mcp = MCPServer("Hurried", request_state_security=RequestStateSecurity.ephemeral(ttl=90))
class Answer(BaseModel):
    sure: bool
def ask() -> Elicit[Answer]:
    return Elicit("Sure?", Answer)
@mcp.tool()
def decide(answer: Annotated[Answer, Resolve(ask)]) -> str:
    return "decided"
"""


def test_a_server_with_its_own_policy_shows_the_time_it_leaves(open_module: Callable[[str], Person]) -> None:
    person = open_module(HURRIED)
    person.call()
    expect(person.dialog.get_by_role("timer")).to_have_text(re.compile(r"in 1 min [0-9]+ s"))
    person.answer("ask", "Yes")
    person.sees_result("decided")


def test_two_settings_changed_at_once_are_both_kept(person: Person) -> None:
    names = ("roots", "sampling.tools", "elicitation.url")
    person.page.evaluate(
        "names => names.forEach(name => document.querySelector(`#client [value='${name}']`).click())", list(names)
    )
    person.page.wait_for_load_state("networkidle")
    person.page.reload()
    for name, on in zip(names, (False, True, True), strict=True):
        expect(person.page.get_by_role("switch", name=name, exact=True)).to_be_checked(checked=on)


def test_where_no_policy_is_set_no_clock_runs(person: Person) -> None:
    person.choose("order_book")
    person.call(Title="Neuromancer")
    expect(person.dialog).to_contain_text("No clock is running.")


def test_a_question_and_the_result_outlive_a_reload(person: Person) -> None:
    person.open("step3_confirm.py", "order_book")
    person.call(Title="Neuromancer")
    expect(person.question("confirm_backorder")).to_be_visible()
    person.page.reload()
    person.answer("confirm_backorder", "Yes")
    person.sees_result("Backordered 'Neuromancer'")
    person.page.reload()
    person.sees_result("Backordered 'Neuromancer'")


def test_an_answer_can_be_taken_back_until_the_round_goes(person: Person) -> None:
    person.open("try_three_questions.py", "write_card")
    person.call(Recipient="Ana")
    person.answer("find_folder", "Answer", Roots="file:///wrong")
    person.answer("find_folder", "Reopen")
    person.answer("find_folder", "Answer", Roots="file:///right")
    person.answer("draft_text", "Answer", Text="Hello.")
    person.question("ask_style").get_by_label("Tone").select_option("funny")
    person.answer("ask_style", "Accept")
    person.sees_result("Saved in file:///right.")


def test_what_is_typed_in_one_question_outlives_the_answer_to_another(person: Person) -> None:
    person.open("try_three_questions.py", "write_card")
    person.call(Recipient="Ana")
    text = person.question("draft_text").get_by_label("Text", exact=True)
    text.fill("Half a sent")
    person.answer("find_folder", "Answer", Roots="file:///cards")
    expect(person.dialog).to_contain_text("1 of 3 settled")
    expect(text).to_have_value("Half a sent")


def test_a_second_page_is_told_that_a_question_has_its_answer(person: Person) -> None:
    person.open("step3_confirm.py", "order_book")
    person.call(Title="Neuromancer")
    expect(person.question("confirm_backorder")).to_be_visible()
    second = Person(person.page.context.new_page())
    second.page.goto(person.page.url)
    second.answer("confirm_backorder", "Yes")
    second.sees_result("Backordered")
    person.sees_result("Backordered")
    expect(person.dialog).to_have_count(0)


def test_a_node_opens_its_panel_and_follows_the_call(person: Person) -> None:
    person.choose("order_book")
    person.graph.get_by_role("button", name="check_stock, resolver, idle").click()
    panel = person.page.get_by_role("region", name=re.compile("check_stock"))
    expect(panel).to_contain_text("(title: str) -> int")
    person.call(Title="Dune")
    expect(panel).to_contain_text("7")


def test_under_each_node_stands_who_could_have_shaped_its_value_before_the_call_and_after(person: Person) -> None:
    def sees(whose: str) -> None:
        expect(person.graph.get_by_role("img", name=whose, exact=True)).to_be_visible()

    person.open("bookshop.py", "order_book")
    sees("supplied by the person or the server, influenced by the model")
    person.call(Title="Neuromancer")
    person.answer("confirm_backorder", "Yes")
    sees("supplied by the person, influenced by the model and the server")
    person.graph.get_by_role("button", name="order_book, tool, done").click()
    panel = person.page.get_by_role("region", name=re.compile("^order_book"))
    expect(panel).to_contain_text("supplied by the server; the model influences it through title")
    person.call(Title="Dune")
    expect(person.graph.get_by_role("img", name=re.compile("person"))).to_have_count(0)


def test_each_message_stands_once_on_the_wire_and_each_line_once_in_the_log(person: Person) -> None:
    person.open("try_context.py", "greet")
    for _ in range(2):
        person.call(Name="Ana")
        person.sees_result("Welcome, Ana, from the main branch!")
    for tab, lines in (("Wire", "li[id^=wire-]"), ("Log", "li")):
        person.page.get_by_role("tab", name=tab).click()
        texts = person.page.get_by_role("tabpanel", name=tab).locator(lines)
        expect(person.page.get_by_role("tab", name=tab)).to_contain_text(str(texts.count()))
    ids = person.page.locator("li[id^=wire-]").evaluate_all("lines => lines.map(line => line.id)")
    assert len(ids) == len(set(ids))


def test_arguments_that_do_not_fit_are_said_at_their_field(person: Person) -> None:
    person.open("bookshop.py", "order_book")
    person.press("Raw JSON", person.arguments)
    person.arguments.get_by_label("Arguments as raw JSON").fill("{")
    person.press("Call", person.arguments)
    expect(person.arguments).to_contain_text("This is not JSON")
    expect(person.arguments.get_by_label("Arguments as raw JSON")).to_have_value("{")
