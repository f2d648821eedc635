"""`--workspaces browser` over HTTP and WebSocket: what one browser has is not there for another."""

from __future__ import annotations

from collections.abc import AsyncIterator
from http import HTTPStatus

import anyio
import httpx2
import pytest

from app.settings import Settings
from app.workspaces import Limits
from tests.app.housing import OWN, SAMPLE, TOOL, WAIT_SECONDS, House, asked, begun, housed, page, shown

pytestmark = pytest.mark.anyio

OF_A_CALL = [
    ("POST", "/calls/{call}/stop"),
    ("POST", "/calls/{call}/questions/q1"),
    ("POST", "/calls/{call}/questions/q1/reopen"),
    ("GET", "/calls/{call}/nodes/tool:order_book?module=0-bookshop&server=0&tool=order_book"),
]
UNKNOWN = "0123456789abcdef0123456789abcdef"


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def house(anyio_backend: str) -> AsyncIterator[House]:
    """Each test comes with browsers of its own, so all can share it."""
    async with housed() as shared:
        yield shared


def told(answer: httpx2.Response) -> tuple[int, str, dict[str, str]]:
    return answer.status_code, answer.text, dict(answer.headers)


@pytest.mark.parametrize(("method", "path"), OF_A_CALL)
async def test_anothers_call_is_answered_like_one_that_never_was(house: House, method: str, path: str) -> None:
    ana, ben = await house.browser(), await house.browser()
    hers = await asked(ana)
    await page(ben)
    foreign = await ben.request(method, path.format(call=hers), headers={"hx-request": "true"})
    unknown = await ben.request(method, path.format(call=UNKNOWN), headers={"hx-request": "true"})
    assert told(foreign) == told(unknown)
    if method == "POST":
        assert foreign.status_code == HTTPStatus.NOT_FOUND


async def test_what_others_try_on_a_call_does_nothing_to_it(house: House) -> None:
    ana, ben = await house.browser(), await house.browser()
    hers = await asked(ana)
    for method, path in OF_A_CALL:
        await ben.request(method, path.format(call=hers), data={"action": "no"} if method == "POST" else None)
    answer = await ana.post(f"/calls/{hers}/questions/q1", data={"action": "yes"})
    assert answer.status_code == HTTPStatus.OK
    await shown(ana, "Backordered &#39;Neuromancer&#39;")


async def test_the_socket_of_anothers_call_closes_like_that_of_one_that_never_was(house: House) -> None:
    ana, ben = await house.browser(), await house.browser()
    hers = await asked(ana)
    assert await house.closed_with(ben, hers) == await house.closed_with(ben, UNKNOWN)
    assert (await house.closed_with(ben, hers))[0] == 4404


async def test_no_browser_sees_anothers_call_client_or_roots_on_its_page(house: House) -> None:
    ana, ben = await house.browser(), await house.browser()
    before = await page(ben)
    settings = {"era": "2025-11-25", "headers": "X-Secret: ana", "max_rounds": "3", "capability": "elicitation.form"}
    assert (await ana.post("/client", data=settings)).status_code == HTTPStatus.OK
    await asked(ana)
    assert await page(ben) == before
    assert "X-Secret" not in (await ben.get(TOOL)).text
    assert "X-Secret" in (await ana.get(TOOL)).text


async def test_a_call_has_a_name_of_128_bits(house: House) -> None:
    browser = await house.browser()
    calls = [await begun(browser, "Dune") for _ in range(3)]
    assert {len(bytes.fromhex(call)) for call in calls} == {16}
    assert len(set(calls)) == 3


async def test_opening_the_address_again_leads_to_the_same_workspace(house: House) -> None:
    browser = await house.browser()
    call = await asked(browser)
    await browser.get(f"/?token={house.settings.token}")
    assert call in await page(browser)


@pytest.mark.parametrize("keeps", [True, False])
async def test_a_link_on_another_site_does_not_take_a_browsers_workspace_away(house: House, keeps: bool) -> None:
    browser = await house.browser() if keeps else await house.client(origin=OWN)
    before = dict(browser.cookies)
    # A browser keeps its strict cookie to itself on the way from another site.
    bare = await house.client()
    linked = await bare.get(f"/?token={house.settings.token}", headers={"sec-fetch-site": "cross-site"})
    browser.cookies.update(bare.cookies)
    assert (linked.status_code, 'content="0;url=/"' in linked.text) == (200, True)
    assert before.items() <= dict(browser.cookies).items()
    call = await begun(browser)
    browser.cookies.delete("playground_8000_first")
    answer = await browser.post(f"/calls/{call}/stop")
    assert answer.status_code == (HTTPStatus.NO_CONTENT if keeps else HTTPStatus.UNAUTHORIZED)


async def test_a_browsers_cookie_is_strict_and_holds_no_token(house: House) -> None:
    opened = await (await house.client()).get(f"/?token={house.settings.token}")
    cookie = opened.headers["set-cookie"]
    assert cookie.startswith("playground_8000=")
    assert house.settings.token not in cookie
    assert {part.strip().lower() for part in cookie.split(";")[1:]} == {"httponly", "path=/", "samesite=strict"}


async def test_a_program_with_the_token_calls_in_a_workspace_of_its_own() -> None:
    async with housed(limits=Limits(workspaces=1)) as house:
        program = await house.client(authorization=f"Bearer {house.settings.token}")
        body = {"tool": "order_book", "arguments": {"title": "Dune"}}
        for _ in range(2):
            document = (await program.post("/api/call", json=body)).json()
            assert document["result"]["content"][0]["text"] == "Ordered 'Dune'."
        assert "In the queue" not in (await (await house.browser()).get("/")).text


async def full(house: House) -> httpx2.AsyncClient:
    """A browser that has come too late."""
    await (await house.browser()).get("/")
    return await house.browser()


async def test_a_full_house_shows_a_page_its_place_in_the_queue() -> None:
    async with housed(limits=Limits(workspaces=1)) as house:
        late = await full(house)
        later = await house.browser()
        for browser, place in ((late, 1), (later, 2), (late, 1)):
            answer = await browser.get("/")
            assert answer.status_code == HTTPStatus.OK
            assert f"Your place in the queue: <strong>{place}</strong>" in answer.text
            assert 'http-equiv="refresh" content="5"' in answer.text


async def test_who_waits_is_let_in_when_a_workspace_ends() -> None:
    async with housed(limits=Limits(workspaces=1, idle=0.2, look=0.01)) as house:
        late = await full(house)
        with anyio.fail_after(WAIT_SECONDS):
            while "Your place in the queue" in (answer := (await late.get("/")).text):
                await anyio.lowlevel.checkpoint()
        assert "bookshop.py" in answer


async def test_a_program_and_a_part_of_a_page_are_told_that_the_house_is_full() -> None:
    async with housed(limits=Limits(workspaces=1)) as house:
        late = await full(house)
        program = await late.get("/api/modules")
        part = await late.get("/", headers={"hx-request": "true"})
        assert program.status_code == part.status_code == HTTPStatus.SERVICE_UNAVAILABLE
        assert program.headers["retry-after"] == "5"
        assert "All 1 workspaces" in program.json()["error"]["message"]
        assert part.headers["hx-reswap"] == "none"


async def test_a_socket_finds_nothing_in_a_full_house() -> None:
    async with housed(limits=Limits(workspaces=1)) as house:
        late = await full(house)
        assert (await house.closed_with(late, UNKNOWN))[0] in (1000, 4404)


async def test_with_one_workspace_every_browser_sees_the_same_call() -> None:
    async with housed(Settings((SAMPLE,), offline=True)) as house:
        ana, ben = await house.browser(), await house.browser()
        hers = await asked(ana)
        assert hers in await page(ben)
        assert (await ben.post(f"/calls/{hers}/stop")).status_code == HTTPStatus.NO_CONTENT
