"""What runs, how often, where and in which order (A27 to A32, A37, A38, B1, B3 to B5)."""

import itertools
import threading
from typing import Annotated, Any

import pytest
from mcp.server.mcpserver import Context, Elicit, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resolve import ElicitationResult

from tests.resolver_runtime.driving import (
    ANA,
    DECLINE,
    YES,
    Confirm,
    Login,
    Mode,
    Person,
    accept,
    asked,
    by_hand,
    call,
    key_of,
    server,
    text,
)

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("engine")]


async def test_a27_a_resolver_runs_once_however_many_consume_it(mode: Mode) -> None:
    runs: list[str] = []

    async def base() -> int:
        runs.append("base")
        return 1

    def left(value: Annotated[int, Resolve(base)]) -> int:
        return value + 1

    def right(value: Annotated[int, Resolve(base)]) -> int:
        return value + 2

    mcp = server()

    @mcp.tool()
    def tool(
        one: Annotated[int, Resolve(base)], two: Annotated[int, Resolve(left)], three: Annotated[int, Resolve(right)]
    ) -> str:
        return f"{one} {two} {three}"

    assert text(await call(mcp, mode)) == "1 2 3"
    assert runs == ["base"]


class Desk:
    def __init__(self, name: str) -> None:
        self.name = name
        self.runs = 0

    def number(self) -> str:
        self.runs += 1
        return f"{self.name}{self.runs}"


async def test_a27_a_bound_method_is_known_by_its_function_and_its_instance(mode: Mode) -> None:
    desk = Desk("desk")
    mcp = server()

    @mcp.tool()
    def tool(one: Annotated[str, Resolve(desk.number)], two: Annotated[str, Resolve(desk.number)]) -> str:
        return f"{one} {two}"

    assert text(await call(mcp, mode)) == "desk1 desk1"


async def test_a27_a_method_of_a_builtin_is_known_by_its_name_and_its_instance(mode: Mode) -> None:
    numbers, others = itertools.count(1), itertools.count(1)
    mcp = server()

    @mcp.tool()
    def tool(
        one: Annotated[int, Resolve(numbers.__next__)],
        two: Annotated[int, Resolve(numbers.__next__)],
        other: Annotated[int, Resolve(others.__next__)],
    ) -> str:
        return f"{one} {two} {other} {next(numbers)}"

    assert text(await call(mcp, mode)) == "1 1 1 2"


async def test_a28_two_instances_of_one_method_are_two_resolvers(mode: Mode) -> None:
    first, second = Desk("first"), Desk("second")
    mcp = server()

    @mcp.tool()
    def tool(one: Annotated[str, Resolve(first.number)], two: Annotated[str, Resolve(second.number)]) -> str:
        return f"{one} {two}"

    assert text(await call(mcp, mode)) == "first1 second1"


def asker(question: str) -> Any:
    def ask() -> Elicit[Login]:
        return Elicit(question, Login)

    return ask


async def test_a29_two_closures_of_one_factory_have_their_own_keys_and_answers(mode: Mode) -> None:
    first, second = asker("First?"), asker("Second?")
    mcp = server()

    @mcp.tool()
    def tool(one: Annotated[Login, Resolve(first)], two: Annotated[Login, Resolve(second)]) -> str:
        return f"{one.username} {two.username}"

    person = Person({"First?": accept(username="ana"), "Second?": accept(username="ben")})
    assert text(await call(mcp, mode, person)) == "ana ben"


async def test_a30_a_second_consumer_of_an_open_question_does_not_run_it_again() -> None:
    runs: list[str] = []

    def login() -> Elicit[Login]:
        runs.append("login")
        return Elicit("Who?", Login)

    def upper(login: Annotated[Login, Resolve(login)]) -> str:
        return login.username.upper()

    mcp = server()

    @mcp.tool()
    def tool(one: Annotated[Login, Resolve(login)], two: Annotated[str, Resolve(upper)]) -> str:
        return two

    async with by_hand(mcp) as hand:
        assert asked(await hand.asks()) == [key_of(login)]
    assert runs == ["login"]


async def test_a31_b1_a_sync_resolver_works_and_runs_on_a_thread_of_its_own(mode: Mode) -> None:
    def where() -> int:
        return threading.get_ident()

    async def here() -> int:
        return threading.get_ident()

    mcp = server()

    @mcp.tool()
    async def tool(sync: Annotated[int, Resolve(where)], async_: Annotated[int, Resolve(here)]) -> str:
        return f"{sync == threading.get_ident()} {async_ == threading.get_ident()}"

    assert text(await call(mcp, mode)) == "False True"


async def test_a32_nothing_is_kept_from_one_call_to_the_next(mode: Mode) -> None:
    runs: list[str] = []

    def count() -> int:
        runs.append("count")
        return len(runs)

    mcp = server()

    @mcp.tool()
    def tool(number: Annotated[int, Resolve(count)]) -> str:
        return str(number)

    assert [text(await call(mcp, mode)), text(await call(mcp, mode))] == ["1", "2"]


@pytest.mark.parametrize(
    ("mode", "counts"),
    [("2026-07-28", {"login": 3, "confirm": 2, "plain": 3}), ("legacy", {"login": 1, "confirm": 1, "plain": 1})],
)
async def test_a37_a38_bodies_run_again_each_round_and_each_question_is_asked_once(
    mode: Mode, counts: dict[str, int]
) -> None:
    runs = dict.fromkeys(counts, 0)

    def login() -> Elicit[Login]:
        runs["login"] += 1
        return Elicit("Who?", Login)

    def confirm(login: Annotated[Login, Resolve(login)]) -> Elicit[Confirm]:
        runs["confirm"] += 1
        return Elicit(f"Sure, {login.username}?", Confirm)

    def plain() -> str:
        runs["plain"] += 1
        return "plain"

    mcp = server()

    @mcp.tool()
    def tool(sure: Annotated[Confirm, Resolve(confirm)], value: Annotated[str, Resolve(plain)]) -> str:
        return f"{sure.ok} {value}"

    person = Person({"Who?": ANA, "Sure, ana?": YES})
    assert text(await call(mcp, mode, person)) == "True plain"
    assert (runs, person.asked) == (counts, ["Who?", "Sure, ana?"])


async def test_b3_parameters_are_filled_one_after_the_other_in_the_order_of_the_signature(mode: Mode) -> None:
    order: list[str] = []

    async def inner() -> str:
        order.append("inner")
        return ""

    def first(value: Annotated[str, Resolve(inner)]) -> str:
        order.append("first")
        return ""

    async def second() -> str:
        order.append("second")
        return ""

    def third() -> str:
        order.append("third")
        return ""

    mcp = server()

    @mcp.tool()
    def tool(
        c: Annotated[str, Resolve(first)], a: Annotated[str, Resolve(second)], b: Annotated[str, Resolve(third)]
    ) -> str:
        return ""

    await call(mcp, mode)
    assert order == ["inner", "first", "second", "third"]


def login() -> Elicit[Login]:
    return Elicit("Who?", Login)


def confirm() -> Elicit[Confirm]:
    return Elicit("Sure?", Confirm)


def broken() -> str:
    raise ToolError("The shelf fell over.")


@pytest.mark.parametrize(("mode", "shown"), [("2026-07-28", []), ("legacy", ["Who?"])])
async def test_b4_an_error_beats_the_questions_that_are_open(mode: Mode, shown: list[str]) -> None:
    mcp = server()

    @mcp.tool()
    def tool(who: Annotated[Login, Resolve(login)], value: Annotated[str, Resolve(broken)]) -> str:
        return ""

    person = Person({"Who?": ANA})
    result = await call(mcp, mode, person)
    assert text(result) == "Error executing tool tool: The shelf fell over."
    assert person.asked == shown


async def test_b4_a_refusal_beats_the_questions_that_are_open() -> None:
    def late(value: Annotated[Login, Resolve(login)]) -> Elicit[Confirm]:
        return Elicit("Late?", Confirm)

    mcp = server()

    @mcp.tool()
    def tool(sure: Annotated[Confirm, Resolve(confirm)], late: Annotated[Confirm, Resolve(late)]) -> str:
        return ""

    async with by_hand(mcp) as hand:
        first = await hand.asks()
        assert asked(first) == [key_of(confirm), key_of(login)]
        result = await hand.ends({key_of(login): DECLINE}, first.request_state)
    assert result.is_error
    assert text(result).endswith("Resolver for parameter 'value' could not resolve: elicitation was decline")


async def test_b5_a_refused_dependency_ends_its_resolver_before_later_ones_are_looked_at() -> None:
    runs: list[str] = []

    def later() -> str:
        runs.append("later")
        return ""

    def middle(who: Annotated[Login, Resolve(login)], after: Annotated[str, Resolve(later)]) -> str:
        raise AssertionError

    mcp = server()

    @mcp.tool()
    def tool(value: Annotated[str, Resolve(middle)]) -> str:
        raise AssertionError

    async with by_hand(mcp) as hand:
        first = await hand.asks()
        runs.clear()
        assert (await hand.ends({key_of(login): DECLINE}, first.request_state)).is_error
    assert runs == []


async def test_a_class_an_async_method_and_a_callable_object_are_resolvers(mode: Mode) -> None:
    class Basket:
        def __init__(self, title: str) -> None:
            self.title = title

        async def packed(self, ctx: Context) -> str:
            return f"packed for {ctx.protocol_version}"

    class Clerk:
        async def __call__(self, title: str) -> str:
            return f"clerk of {title}"

    mcp = server()

    @mcp.tool()
    def tool(
        title: str,
        basket: Annotated[Any, Resolve(Basket)],
        packed: Annotated[str, Resolve(Basket("x").packed)],
        clerk: Annotated[str, Resolve(Clerk())],
    ) -> str:
        return f"{basket.title}, {packed}, {clerk}"

    spoken = "2025-11-25" if mode == "legacy" else mode
    assert text(await call(mcp, mode, title="Dune")) == f"Dune, packed for {spoken}, clerk of Dune"


async def test_a_refusal_reaches_each_consumer_as_it_takes_it(mode: Mode) -> None:
    def lenient(who: Annotated[ElicitationResult[Login], Resolve(login)]) -> str:
        return who.action

    mcp = server()

    @mcp.tool()
    def tool(action: Annotated[str, Resolve(lenient)], who: Annotated[Login, Resolve(login)]) -> str:
        raise AssertionError

    result = await call(mcp, mode, Person({"Who?": DECLINE}))
    assert text(result).endswith("Resolver for parameter 'who' could not resolve: elicitation was decline")
