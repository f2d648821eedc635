"""What a server remembers between rounds, and when it believes it (A51 to A65, B2, B6, B9, B10)."""

import base64
import hashlib
import json
import logging
from typing import Annotated, Any

import pytest
from mcp.server.mcpserver import Elicit, ListRoots, MCPServer, Resolve, Sample
from mcp.server.mcpserver.resolve import ElicitationResult
from mcp_types import CreateMessageResult, ElicitResult, InputRequiredResult, ListRootsResult
from pydantic import BaseModel, Field

from tests.resolver_runtime.driving import (
    ANA,
    CANCEL,
    DECLINE,
    QUESTION,
    ROOTS,
    YES,
    Confirm,
    Login,
    accept,
    asked,
    by_hand,
    completion,
    key_of,
    message,
    remembered,
    rewritten,
    server,
    text,
)

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("engine")]


def login() -> Elicit[Login]:
    return Elicit("Who?", Login)


def confirm() -> Elicit[Confirm]:
    return Elicit("Sure?", Confirm)


def confirm_after(who: Annotated[Any, Resolve(login)]) -> Elicit[Confirm]:
    return Elicit("Sure?", Confirm)


LOGIN, CONFIRM, AFTER = key_of(login), key_of(confirm), key_of(confirm_after)


def one_question() -> MCPServer:
    mcp = server()

    @mcp.tool()
    def tool(who: Annotated[Login, Resolve(login)]) -> str:
        return who.username

    return mcp


def chain() -> MCPServer:
    mcp = server()

    @mcp.tool()
    def tool(sure: Annotated[Confirm, Resolve(confirm_after)], who: Annotated[Login, Resolve(login)]) -> str:
        return f"{who.username} {sure.ok}"

    return mcp


async def test_a51_the_state_has_version_3_outcomes_and_what_was_asked() -> None:
    async with by_hand(chain()) as hand:
        first = await hand.asks()
        state = remembered(first)
        assert state == {"v": 3, "outcomes": {}, "asked": {LOGIN: state["asked"][LOGIN]}}
        second = remembered(await hand.asks({LOGIN: ANA}, first.request_state))
    answered = {"action": "accept", "data": {"username": "ana"}, "q": state["asked"][LOGIN]}
    assert second == {"v": 3, "outcomes": {LOGIN: answered}, "asked": {AFTER: second["asked"][AFTER]}}
    assert list(second) == ["v", "outcomes", "asked"]


@pytest.mark.parametrize(
    "state",
    [
        "",
        "no JSON",
        "[]",
        "null",
        "7",
        "{}",
        '{"outcomes": {}}',
        '{"v": "3x"}',
        '{"v": 3, "outcomes": []}',
        '{"v": 3, "outcomes": {"key": {"action": "shrug"}}}',
        '{"v": 3, "asked": {"key": 1}}',
    ],
)
async def test_a51_a_state_that_does_not_fit_is_no_progress(state: str) -> None:
    async with by_hand(one_question()) as hand:
        first = await hand.asks()
        again = await hand.asks({LOGIN: ANA}, rewritten(first, state))
        assert asked(again) == [LOGIN]
        assert remembered(again) == remembered(first)


@pytest.mark.parametrize("version", [1, 2, 4, 30])
async def test_a51_b9_another_version_is_no_progress_through_the_whole_call(version: int) -> None:
    async with by_hand(chain()) as hand:
        first = await hand.asks()
        second = await hand.asks({LOGIN: ANA}, first.request_state)
        old = {**remembered(second), "v": version}
        assert asked(await hand.asks({AFTER: YES}, rewritten(second, old))) == [LOGIN]
        assert text(await hand.ends({AFTER: YES}, second.request_state)) == "ana True"


async def test_a51_a_number_that_equals_the_version_is_the_version() -> None:
    async with by_hand(one_question()) as hand:
        first = await hand.asks()
        told = {**remembered(first), "v": "3", "more": "that nobody knows"}
        assert text(await hand.ends({LOGIN: ANA}, rewritten(first, told))) == "ana"


class Wide(BaseModel):
    """Größe"""

    zeta: int = 1
    alpha: str = Field("é", description="naïve")


@pytest.mark.parametrize(
    ("marker", "params"),
    [
        (
            Elicit("Who?", Login),
            '{"mode":"form","message":"Who?","requestedSchema":{"properties":{"username":'
            '{"title":"Username","type":"string"}},"required":["username"],"title":"Login","type":"object"}}',
        ),
        (
            Elicit("Wié?", Wide),
            '{"mode":"form","message":"Wi\\u00e9?","requestedSchema":{"description":"Gr\\u00f6\\u00dfe",'
            '"properties":{"zeta":{"default":1,"title":"Zeta","type":"integer"},'
            '"alpha":{"default":"\\u00e9","description":"na\\u00efve","title":"Alpha","type":"string"}},'
            '"title":"Wide","type":"object"}}',
        ),
        (
            Sample(QUESTION, max_tokens=10, temperature=0.5),
            '{"messages":[{"role":"user","content":{"type":"text","text":"Well?"}}],"temperature":0.5,"maxTokens":10}',
        ),
        (ListRoots(), "null"),
    ],
    ids=["elicit", "not ASCII", "sample", "roots"],
)
async def test_a52_the_digest_is_of_the_params_as_compact_unsorted_ascii(marker: Any, params: str) -> None:
    def resolver() -> Any:
        return marker

    mcp = server()

    @mcp.tool()
    def tool(value: Annotated[Any, Resolve(resolver)]) -> str:
        return ""

    digest = base64.urlsafe_b64encode(hashlib.sha256(params.encode()).digest()[:16]).decode().rstrip("=")
    async with by_hand(mcp) as hand:
        assert remembered(await hand.asks())["asked"] == {key_of(resolver): digest}
    assert len(digest) == 22


async def test_a52_equal_questions_have_equal_digests() -> None:
    async with by_hand(one_question()) as hand:
        assert remembered(await hand.asks())["asked"] == remembered(await hand.asks())["asked"]


def lenient_chain() -> MCPServer:
    mcp = server()

    def after(who: Annotated[ElicitationResult[Login], Resolve(login)]) -> Elicit[Confirm]:
        return Elicit(f"{who.action}?", Confirm)

    @mcp.tool()
    def tool(sure: Annotated[Confirm, Resolve(after)], who: Annotated[ElicitationResult[Login], Resolve(login)]) -> str:
        return f"{who.action} {sure.ok}"

    return mcp


@pytest.mark.parametrize("answer", [DECLINE, CANCEL], ids=lambda answer: answer.action)
async def test_a53_a_refusal_is_remembered_with_its_digest(answer: ElicitResult) -> None:
    async with by_hand(lenient_chain()) as hand:
        first = await hand.asks()
        second = await hand.asks({LOGIN: answer}, first.request_state)
        digest = remembered(first)["asked"][LOGIN]
        assert remembered(second)["outcomes"] == {LOGIN: {"action": answer.action, "data": None, "q": digest}}
        [after] = asked(second)
        assert text(await hand.ends({after: YES}, second.request_state)) == f"{answer.action} True"


async def test_a54_what_was_restored_is_handed_on_as_it_came() -> None:
    async with by_hand(chain()) as hand:
        first = await hand.asks()
        second = await hand.asks({LOGIN: accept(username="ana", more=1.0)}, first.request_state)
        again = await hand.asks(None, second.request_state)
    assert json.dumps(remembered(again)["outcomes"]) == json.dumps(remembered(second)["outcomes"])
    assert remembered(again)["outcomes"][LOGIN]["data"] == {"username": "ana", "more": 1.0}


class Aliased(BaseModel):
    user: str = Field(validation_alias="vUser", serialization_alias="sUser")


async def test_a55_the_clients_own_content_is_remembered_and_not_a_dump_of_the_model() -> None:
    def aliased() -> Elicit[Aliased]:
        return Elicit("Who?", Aliased)

    def after(who: Annotated[Aliased, Resolve(aliased)]) -> Elicit[Confirm]:
        return Elicit("Sure?", Confirm)

    mcp = server()

    @mcp.tool()
    def tool(sure: Annotated[Confirm, Resolve(after)], who: Annotated[Aliased, Resolve(aliased)]) -> str:
        return who.user

    async with by_hand(mcp) as hand:
        first = await hand.asks()
        second = await hand.asks({key_of(aliased): accept(vUser="ana")}, first.request_state)
        assert remembered(second)["outcomes"][key_of(aliased)]["data"] == {"vUser": "ana"}
        assert text(await hand.ends({key_of(after): YES}, second.request_state)) == "ana"


def two_and_one() -> MCPServer:
    """Two questions at first, then one more."""
    mcp = server()

    def last(who: Annotated[Any, Resolve(login)], sure: Annotated[Any, Resolve(confirm)]) -> Elicit[Confirm]:
        return Elicit("Last?", Confirm)

    @mcp.tool()
    def tool(last: Annotated[Confirm, Resolve(last)]) -> str:
        return "done"

    return mcp


@pytest.mark.parametrize("digest", ["another", None])
async def test_a56_a_record_for_another_question_is_dropped_and_its_siblings_stay(digest: str | None) -> None:
    async with by_hand(two_and_one()) as hand:
        first = await hand.asks()
        second = await hand.asks({LOGIN: ANA, CONFIRM: YES}, first.request_state)
        state = remembered(second)
        state["outcomes"][LOGIN]["q"] = digest
        third = await hand.asks(None, rewritten(second, state))
    assert asked(third) == [LOGIN]
    assert list(remembered(third)["outcomes"]) == [CONFIRM]


async def test_a57_a_record_that_does_not_fit_the_schema_is_dropped_and_asked_again() -> None:
    async with by_hand(chain()) as hand:
        first = await hand.asks()
        second = await hand.asks({LOGIN: ANA}, first.request_state)
        state = remembered(second)
        state["outcomes"][LOGIN]["data"] = {"username": 7}
        third = await hand.asks(None, rewritten(second, state))
    assert asked(third) == [LOGIN]


@pytest.mark.parametrize("action", ["accept", "decline"])
async def test_a58_a_record_of_a_resolver_that_does_not_ask_is_never_looked_at(action: str) -> None:
    asks = [True]

    def sometimes() -> Any:
        return Elicit("Who?", Login) if asks else Login(username="known")

    mcp = server()

    @mcp.tool()
    def tool(who: Annotated[Login, Resolve(sometimes)]) -> str:
        return who.username

    async with by_hand(mcp) as hand:
        first = await hand.asks()
        state = remembered(first)
        record = {"action": action, "data": {"username": "forged"}, "q": state["asked"][key_of(sometimes)]}
        state["outcomes"][key_of(sometimes)] = record
        asks.clear()
        assert text(await hand.ends(None, rewritten(first, state))) == "known"


async def test_a59_records_under_keys_that_nobody_has_are_not_handed_on() -> None:
    async with by_hand(one_question()) as hand:
        first = await hand.asks()
        state = remembered(first)
        state["outcomes"]["nobody"] = {"action": "accept", "data": 1, "q": "q"}
        assert remembered(await hand.asks(None, rewritten(first, state))) == remembered(first)


async def test_a60_b10_an_answer_to_another_wording_is_discarded_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    wording = ["Who?"]

    def reworded() -> Elicit[Login]:
        return Elicit(wording[0], Login)

    mcp = server()

    @mcp.tool()
    def tool(who: Annotated[Login, Resolve(reworded)]) -> str:
        return who.username

    caplog.set_level(logging.INFO)
    async with by_hand(mcp) as hand:
        first = await hand.asks()
        wording[0] = "Who, please?"
        second = await hand.asks({key_of(reworded): ANA}, first.request_state)
        assert message(second, reworded) == "Who, please?"
        told = [record for record in caplog.records if key_of(reworded) in record.getMessage()]
        assert [record.levelno for record in told] == [logging.INFO]
        assert text(await hand.ends({key_of(reworded): ANA}, second.request_state)) == "ana"


async def test_a60_an_answer_without_the_state_is_discarded() -> None:
    async with by_hand(one_question()) as hand:
        await hand.asks()
        assert asked(await hand.asks({LOGIN: ANA})) == [LOGIN]


async def test_a61_a_lone_surrogate_in_an_answer_survives() -> None:
    # Only the stored state can carry one: the wire's own encoding refuses it.
    async with by_hand(chain()) as hand:
        first = await hand.asks()
        second = await hand.asks({LOGIN: accept(username="a\ud800b")}, first.request_state)
        assert remembered(second)["outcomes"][LOGIN]["data"] == {"username": "a\ud800b"}
        third = await hand.asks(None, second.request_state)
        assert remembered(third)["outcomes"] == remembered(second)["outcomes"]


def sample() -> Sample:
    return Sample(QUESTION, max_tokens=10)


def roots() -> ListRoots:
    return ListRoots()


def sampled() -> MCPServer:
    mcp = server()

    def after(
        said: Annotated[CreateMessageResult, Resolve(sample)], dirs: Annotated[ListRootsResult, Resolve(roots)]
    ) -> Elicit[Confirm]:
        return Elicit(f"{said.model}, {dirs.roots[0].name}?", Confirm)

    @mcp.tool()
    def tool(sure: Annotated[Confirm, Resolve(after)]) -> str:
        return str(sure.ok)

    return mcp


async def second_round_of_samples(hand: Any) -> InputRequiredResult:
    first = await hand.asks()
    answers = {key_of(sample): completion("so"), key_of(roots): ROOTS}
    second: InputRequiredResult = await hand.asks(answers, first.request_state)
    return second


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_a62_a_completion_cannot_have_been_refused(action: str) -> None:
    async with by_hand(sampled()) as hand:
        second = await second_round_of_samples(hand)
        state = remembered(second)
        state["outcomes"][key_of(sample)] |= {"action": action, "data": None}
        assert asked(await hand.asks(None, rewritten(second, state))) == [key_of(sample)]


async def test_a63_a_completion_is_remembered_and_not_asked_for_again() -> None:
    async with by_hand(sampled()) as hand:
        second = await second_round_of_samples(hand)
        outcomes = remembered(second)["outcomes"]
        assert outcomes[key_of(sample)]["data"] == {
            "role": "assistant",
            "content": {"type": "text", "text": "so"},
            "model": "a person",
        }
        [key] = asked(second)
        assert (second.input_requests or {})[key].model_dump()["params"]["message"] == "a person, home?"
        assert text(await hand.ends({key: YES}, second.request_state)) == "True"


async def test_a64_a_server_without_a_policy_seals_what_it_remembers() -> None:
    mcp = MCPServer()

    @mcp.tool()
    def tool(who: Annotated[Login, Resolve(login)]) -> str:
        return who.username

    async with by_hand(mcp) as hand:
        first = await hand.asks()
        assert first.request_state
        assert first.request_state.startswith("v1.")
        assert text(await hand.ends({LOGIN: ANA}, first.request_state)) == "ana"


class Clerk:
    def __call__(self, before: Annotated[Any, Resolve(lambda: None)]) -> Elicit[Login]:
        return Elicit("Who?", Login)


def asker(*dependencies: Any) -> Any:
    def ask(before: Annotated[Any, Resolve(dependencies[0] if dependencies else lambda: None)]) -> Elicit[Login]:
        return Elicit("Who?", Login)

    return ask


async def test_a65_the_key_is_module_and_name_and_of_an_object_its_class() -> None:
    mcp = server()

    @mcp.tool()
    def tool(who: Annotated[Login, Resolve(login)], clerk: Annotated[Login, Resolve(Clerk())]) -> str:
        return ""

    async with by_hand(mcp) as hand:
        assert asked(await hand.asks()) == [f"{__name__}:login", f"{__name__}:Clerk"]


async def test_a65_those_of_one_name_are_numbered_as_they_are_found() -> None:
    inner, other = asker(), asker()
    outer: Any = asker(inner)
    mcp = server()

    @mcp.tool()
    def tool(one: Annotated[Login, Resolve(outer)], two: Annotated[Login, Resolve(other)]) -> str:
        return f"{one.username} {two.username}"

    base = key_of(inner)
    async with by_hand(mcp) as hand:
        first = await hand.asks()
        # A resolver is found before its own dependencies, and those before its tool's next parameter.
        assert asked(first) == [f"{base}#1", f"{base}#2"]
        answers = {f"{base}#1": accept(username="inner"), f"{base}#2": accept(username="other")}
        second = await hand.asks(answers, first.request_state)
        assert asked(second) == [base]
        assert text(await hand.ends({base: accept(username="outer")}, second.request_state)) == "outer other"


async def test_b2_what_is_remembered_wins_over_an_answer_that_is_sent_again() -> None:
    async with by_hand(chain()) as hand:
        first = await hand.asks()
        second = await hand.asks({LOGIN: ANA}, first.request_state)
        state = remembered(second)
        state["asked"][LOGIN] = remembered(first)["asked"][LOGIN]
        result = await hand.ends({LOGIN: accept(username="eve"), AFTER: YES}, rewritten(second, state))
    assert text(result) == "ana True"


async def test_b6_only_the_questions_of_this_round_count_as_asked() -> None:
    async with by_hand(two_and_one()) as hand:
        first = await hand.asks()
        assert list(remembered(first)["asked"]) == [LOGIN, CONFIRM]
        second = await hand.asks({LOGIN: ANA}, first.request_state)
        assert list(remembered(second)["asked"]) == [CONFIRM]
