"""Every sample, called from the page in both protocol versions."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.browser.person import Person

both_eras = pytest.mark.parametrize("era", ["2026-07-28", "2025-11-25"])

SILENT = [
    ("step1_reserve.py", "reserve_book", {"Title": "Dune"}, "Reserved 'Dune' (6 copies left)."),
    ("step1_reserve.py", "reserve_book", {"Title": "Neuromancer"}, "'Neuromancer' is out of stock."),
    ("step2_delivery.py", "order_book", {"Title": "Dune"}, "Ordered 'Dune'; it arrives tomorrow."),
    (
        "step2_delivery.py",
        "order_book",
        {"Title": "Neuromancer"},
        "'Neuromancer' is on backorder; it would arrive in 2-3 weeks.",
    ),
    ("step3_confirm.py", "order_book", {"Title": "Dune"}, "Ordered 'Dune'."),
    ("bookshop.py", "order_book", {"Title": "Dune"}, "Ordered 'Dune'."),
]


@both_eras
@pytest.mark.parametrize(("module", "tool", "arguments", "text"), SILENT)
def test_a_call_that_asks_nothing_shows_its_result(
    person: Person, era: str, module: str, tool: str, arguments: dict[str, str], text: str
) -> None:
    person.choose_era(era)
    person.open(module, tool)
    person.call(**arguments)
    person.sees_result(text)
    expect(person.dialog).to_have_count(0)


CONFIRMED = [
    ("Yes", "Backordered 'Neuromancer'; it ships in 2-3 weeks."),
    ("No", "No order placed."),
    (
        "Decline",
        "Error executing tool order_book: Resolver for parameter 'backorder' could not resolve: "
        "elicitation was decline",
    ),
    (
        "Cancel",
        "Error executing tool order_book: Resolver for parameter 'backorder' could not resolve: elicitation was cancel",
    ),
]


@both_eras
@pytest.mark.parametrize(("button", "text"), CONFIRMED)
def test_a_backorder_is_confirmed_or_not(person: Person, era: str, button: str, text: str) -> None:
    person.choose_era(era)
    person.open("step3_confirm.py", "order_book")
    person.call(Title="Neuromancer")
    expect(person.question("confirm_backorder")).to_contain_text(
        "'Neuromancer' is out of stock (2-3 weeks). Order anyway?"
    )
    person.answer("confirm_backorder", button)
    person.sees_result(text)


@both_eras
def test_a_recommendation_is_the_text_the_person_answers_as_the_model(person: Person, era: str) -> None:
    person.choose_era(era)
    person.open("step4_recommend.py", "recommend_book")
    person.call(Genre="mystery")
    expect(person.question("pick_title")).to_contain_text("Name one mystery novel")
    person.answer("pick_title", "Answer", Text="The Hound of the Baskervilles")
    person.sees_result("Today's mystery pick: The Hound of the Baskervilles.")


@both_eras
def test_rejected_sampling_ends_the_call(person: Person, era: str) -> None:
    person.choose_era(era)
    person.open("step4_recommend.py", "recommend_book")
    person.call(Genre="mystery")
    person.answer("pick_title", "Reject")
    person.sees_result("User rejected sampling request")


GUESTBOOK = [
    ("Accept", {"Name": "Ana"}, "Ana wrote: (nothing)"),
    ("Decline", {}, "The guest would rather not sign."),
    ("Cancel", {}, "The guest closed the book without an answer."),
]


@both_eras
@pytest.mark.parametrize(("button", "fields", "text"), GUESTBOOK)
def test_a_tool_that_takes_the_whole_outcome_gets_a_refusal_too(
    person: Person, era: str, button: str, fields: dict[str, str], text: str
) -> None:
    person.choose_era(era)
    person.open("try_decline.py", "sign_guestbook")
    person.call()
    person.answer("ask_entry", button, **fields)
    person.sees_result(text)


@both_eras
def test_roots_are_a_question_like_the_others(person: Person, era: str) -> None:
    person.choose_era(era)
    person.open("try_roots.py", "list_projects")
    person.call()
    person.answer("fetch_roots", "Answer", Roots="file:///home/ana/novel Novel\nfile:///home/ana/poster")
    person.sees_result("Novel")
    person.sees_result("file:///home/ana/poster")


@both_eras
def test_a_model_may_choose_a_tool_instead_of_an_answer(person: Person, era: str) -> None:
    person.choose_era(era)
    person.switch("sampling.tools", True)
    person.open("try_research.py", "research")
    person.call(Question="Who wrote Dune?")
    use = {"type": "tool_use", "id": "1", "name": "search_catalogue", "input": {"words": "Dune"}}
    completion = {"role": "assistant", "content": [use], "model": "m", "stopReason": "toolUse"}
    question = person.question("plan_research")
    person.press("Raw JSON", question)
    question.get_by_label("Raw JSON").last.fill(json.dumps(completion))
    person.press("Answer", question)
    person.sees_result("Who wrote Dune?: it would use search_catalogue with {'words': 'Dune'}.")


def test_three_kinds_of_question_come_in_one_round(person: Person) -> None:
    person.open("try_three_questions.py", "write_card")
    person.call(Recipient="Ana")
    expect(person.dialog).to_contain_text("0 of 3 settled")
    person.question("ask_style").get_by_label("Tone").select_option("warm")
    person.answer("ask_style", "Accept")
    expect(person.dialog).to_contain_text("1 of 3 settled")
    person.answer("draft_text", "Answer", Text="All the best!")
    expect(person.dialog).to_contain_text("2 of 3 settled")
    person.answer("find_folder", "Answer", Roots="file:///cards")
    person.sees_result("A warm card to Ana: All the best! Saved in file:///cards.")
    expect(person.rounds.get_by_text("Round 2")).to_be_visible()


def test_in_the_handshake_era_the_three_questions_come_one_after_the_other(person: Person) -> None:
    person.choose_era("2025-11-25")
    person.open("try_three_questions.py", "write_card")
    person.call(Recipient="Ana")
    person.question("ask_style").get_by_label("Tone").select_option("warm")
    person.answer("ask_style", "Accept")
    person.answer("draft_text", "Answer", Text="All the best!")
    person.answer("find_folder", "Answer", Roots="file:///cards")
    person.sees_result("A warm card to Ana: All the best! Saved in file:///cards.")


@both_eras
def test_a_chain_asks_each_question_with_the_answer_before_it(person: Person, era: str) -> None:
    person.choose_era(era)
    person.open("try_chain.py", "plan_trip")
    person.call(Traveller="Ben")
    person.answer("ask_destination", "Accept", City="Porto")
    expect(person.question("ask_stay")).to_contain_text("How many nights in Porto?")
    person.answer("ask_stay", "Accept", Nights="3")
    expect(person.question("ask_room")).to_contain_text("Which view for 3 nights in Porto?")
    person.question("ask_room").get_by_label("View").select_option("sea")
    person.answer("ask_room", "Accept")
    person.sees_result("Ben stays 3 nights in Porto, with a sea view.")


@both_eras
def test_context_brings_headers_lifespan_and_progress(person: Person, era: str) -> None:
    person.choose_era(era)
    person.open("try_context.py", "greet")
    person.page.get_by_label("Headers and round limit").click()
    with person.page.expect_response("**/client"):
        headers = person.page.get_by_label("Headers", exact=True)
        headers.fill("X-Shop-Branch: Lisbon")
        headers.press("Escape")
    person.call(Name="Ana")
    person.sees_result("Bom dia, Ana, from Lisbon!")
    person.page.get_by_role("tab", name="Log").click()
    log = person.page.get_by_role("tabpanel", name="Log")
    expect(log).to_contain_text("greeting Ana")
    expect(log).to_contain_text("found the words")


@both_eras
def test_one_form_holds_every_field_type(person: Person, era: str) -> None:
    person.choose_era(era)
    person.open("try_fields.py", "describe_event")
    person.call()
    question = person.question("ask_event")
    texts = {"Name": "Book fair", "Seats": "120", "Price": "4.5", "Day": "2027-03-01", "Code": "PT-007"}
    texts |= {"Doors open": "2027-03-01T18:30:00", "Website": "https://fair.example/", "Contact": "ana@fair.example"}
    for label, text in texts.items():
        question.get_by_label(label, exact=True).fill(text)
    for label, value in {"Size": "medium", "Floor": "2", "House rules": "accepted", "Audience": "adults"}.items():
        question.get_by_label(label, exact=True).select_option(value)
    question.get_by_label("Language", exact=True).select_option("pt")
    question.get_by_role("group", name="Topics").get_by_label("poetry").check()
    question.get_by_label("Outdoors").check()
    person.press("Accept", question)
    person.sees_result('"name": "Book fair"')
    person.sees_result('"floor": 2')
    person.sees_result('"outdoors": true')


def test_what_does_not_fit_is_said_at_its_field_and_can_be_sent_all_the_same(person: Person) -> None:
    person.open("try_chain.py", "plan_trip")
    person.call(Traveller="Ben")
    person.answer("ask_destination", "Accept", City="Porto")
    person.answer("ask_stay", "Accept", Nights="99")
    nights = person.question("ask_stay").get_by_label("Nights", exact=True)
    expect(nights).to_have_attribute("aria-invalid", "true")
    expect(nights).to_have_value("99")
    person.answer("ask_stay", "Send it all the same")
    person.sees_result("Error executing tool plan_trip")


BROKEN = [
    ("wrong_cycle.py", "cyclic", ["convert_price", "find_rate"]),
    ("wrong_parameter.py", "cannot be resolved", ["find_shelf"]),
]


@pytest.mark.parametrize(("module", "words", "nodes"), BROKEN)
def test_a_broken_module_shows_its_problem_and_the_graph_that_could_not_be_built(
    person: Person, module: str, words: str, nodes: list[str]
) -> None:
    person.open_module(module)
    expect(person.page.get_by_role("region", name="Problem")).to_contain_text(words)
    for node in nodes:
        expect(person.graph.get_by_role("button", name=f"{node}, resolver")).to_be_visible()
    expect(person.page.get_by_role("button", name="Call", exact=True)).to_have_count(0)
