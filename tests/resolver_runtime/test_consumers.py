"""What a consumer gets: the value, or the whole outcome (A20 to A26)."""

import datetime
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from mcp.server.mcpserver import Elicit, Resolve
from mcp.server.mcpserver.resolve import (
    AcceptedElicitation,
    CancelledElicitation,
    DeclinedElicitation,
    ElicitationResult,
)
from mcp_types import ElicitResult
from pydantic import BaseModel, create_model

from tests.resolver_runtime.driving import (
    ANA,
    CANCEL,
    DECLINE,
    YES,
    Confirm,
    Login,
    Mode,
    Person,
    accept,
    by_hand,
    call,
    key_of,
    remembered,
    server,
    text,
)

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("engine")]

WHOLE = [
    ElicitationResult[Login],
    ElicitationResult,
    AcceptedElicitation[Login] | DeclinedElicitation | CancelledElicitation,
    AcceptedElicitation[Login],
]


def login() -> Elicit[Login]:
    return Elicit("Who?", Login)


async def test_a20_a_consumer_of_the_value_gets_the_model(mode: Mode) -> None:
    mcp = server()

    @mcp.tool()
    def whoami(login: Annotated[Login, Resolve(login)]) -> str:
        return repr(login)

    assert text(await call(mcp, mode, Person({"Who?": ANA}))) == "Login(username='ana')"


@pytest.mark.parametrize("whole", WHOLE)
async def test_a20_a_consumer_of_the_outcome_gets_the_outcome(mode: Mode, whole: Any) -> None:
    def whoami(login: Any) -> str:
        return f"{login.action} {login.data.username}"

    whoami.__annotations__["login"] = Annotated[whole, Resolve(login)]
    mcp = server()
    mcp.add_tool(whoami)
    assert text(await call(mcp, mode, Person({"Who?": ANA}))) == "accept ana"


@pytest.mark.parametrize("whole", WHOLE)
async def test_a21_a_plain_value_reaches_a_consumer_of_outcomes_as_accepted(mode: Mode, whole: Any) -> None:
    def known() -> str:
        return "bob"

    def whoami(login: Any) -> str:
        return f"{type(login).__name__} {login.data}"

    whoami.__annotations__["login"] = Annotated[whole, Resolve(known)]
    mcp = server()
    mcp.add_tool(whoami)
    assert text(await call(mcp, mode)) == "AcceptedElicitation[Any] bob"


@pytest.mark.parametrize("answer", [DECLINE, CANCEL], ids=lambda answer: answer.action)
async def test_a22_a_refusal_aborts_a_consumer_of_the_value(mode: Mode, answer: ElicitResult) -> None:
    mcp = server()

    @mcp.tool()
    def whoami(login: Annotated[Login, Resolve(login)]) -> str:
        raise AssertionError

    result = await call(mcp, mode, Person({"Who?": answer}))
    assert result.is_error
    assert text(result) == (
        "Error executing tool whoami: "
        f"Resolver for parameter 'login' could not resolve: elicitation was {answer.action}"
    )


async def test_a22_a_refusal_names_the_parameter_of_the_resolver_that_could_not_run(mode: Mode) -> None:
    def greeting(name: Annotated[Login, Resolve(login)]) -> str:
        raise AssertionError

    mcp = server()

    @mcp.tool()
    def greet(hello: Annotated[str, Resolve(greeting)]) -> str:
        raise AssertionError

    result = await call(mcp, mode, Person({"Who?": DECLINE}))
    assert text(result) == (
        "Error executing tool greet: Resolver for parameter 'name' could not resolve: elicitation was decline"
    )


@pytest.mark.parametrize(("answer", "outcome"), [(DECLINE, "DeclinedElicitation"), (CANCEL, "CancelledElicitation")])
async def test_a23_a_refusal_is_an_outcome_like_others(mode: Mode, answer: ElicitResult, outcome: str) -> None:
    mcp = server()

    @mcp.tool()
    def whoami(login: Annotated[ElicitationResult[Login], Resolve(login)]) -> str:
        return type(login).__name__

    result = await call(mcp, mode, Person({"Who?": answer}))
    assert (bool(result.is_error), text(result)) == (False, outcome)


@dataclass
class Shelf:
    books: int


DAY = datetime.datetime(2027, 1, 31, 12)


@pytest.mark.parametrize("value", ["text", 7, DAY, None, Shelf(3), [1, 2]], ids=lambda value: type(value).__name__)
async def test_a24_a_value_of_any_type_is_handed_on_untouched_and_not_remembered(value: Any) -> None:
    def plain() -> Any:
        return value

    mcp = server()

    @mcp.tool()
    def tool(value_: Annotated[Any, Resolve(plain)], login: Annotated[Login, Resolve(login)]) -> str:
        return str(value_ is value)

    async with by_hand(mcp) as hand:
        first = await hand.asks()
        assert remembered(first)["outcomes"] == {}
        assert text(await hand.ends({key_of(login): ANA}, first.request_state)) == "True"


async def test_a25_an_annotation_that_hides_the_question_does_not_matter(mode: Mode) -> None:
    def secretive() -> object:
        return Elicit("Who?", Login)

    def confirm(login: Annotated[Login, Resolve(secretive)]) -> Elicit[Confirm]:
        return Elicit(f"Sure, {login.username}?", Confirm)

    mcp = server()

    @mcp.tool()
    def tool(login: Annotated[Login, Resolve(secretive)], sure: Annotated[Confirm, Resolve(confirm)]) -> str:
        return f"{type(login).__name__} {login.username}"

    person = Person({"Who?": ANA, "Sure, ana?": YES})
    assert text(await call(mcp, mode, person)) == "Login ana"
    assert person.asked == ["Who?", "Sure, ana?"]


async def test_a26_a_schema_made_anew_each_time_fits_the_answers_of_earlier_rounds(mode: Mode) -> None:
    def dynamic() -> Elicit[BaseModel]:
        return Elicit("Which?", create_model("Made", size=(int, ...)))

    def confirm(made: Annotated[Any, Resolve(dynamic)]) -> Elicit[Confirm]:
        return Elicit(f"{made.size}?", Confirm)

    mcp = server()

    @mcp.tool()
    def tool(made: Annotated[Any, Resolve(dynamic)], sure: Annotated[Confirm, Resolve(confirm)]) -> str:
        return f"{type(made).__name__} {made.size}"

    assert text(await call(mcp, mode, Person({"Which?": accept(size=4), "4?": YES}))) == "Made 4"
