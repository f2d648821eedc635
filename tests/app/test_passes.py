"""What a browser's cookie holds, and whose it is."""

from __future__ import annotations

import pytest

from app.passes import EVERYBODY, Passes
from app.settings import new_token

TOKEN = new_token()
ONE = Passes(TOKEN)
EACH = Passes(TOKEN, per_browser=True)


def test_with_one_workspace_everybody_holds_the_token() -> None:
    assert ONE.new() == TOKEN
    assert ONE.holder(ONE.new()) == EVERYBODY


def test_with_a_workspace_each_every_browser_holds_a_secret_of_its_own() -> None:
    cookies = [EACH.new() for _ in range(100)]
    holders = {EACH.holder(cookie) for cookie in cookies}
    assert (len(holders), None in holders) == (100, False)
    assert not any(TOKEN in cookie for cookie in cookies)


def test_a_browsers_name_has_128_bits_that_nobody_chose() -> None:
    name = EACH.holder(EACH.new())
    assert name is not None
    assert len(bytes.fromhex(name)) == 16


def test_a_browser_keeps_its_name() -> None:
    cookie = EACH.new()
    assert EACH.holder(cookie) == EACH.holder(cookie)


def test_a_cookie_of_an_earlier_start_is_nobodys() -> None:
    assert EACH.holder(Passes(new_token(), per_browser=True).new()) is None
    assert ONE.holder(Passes(new_token()).new()) is None


def test_the_token_itself_is_no_browsers_cookie() -> None:
    assert EACH.holder(TOKEN) is None


@pytest.mark.parametrize("change", ["{name}", "{name}.", ".{signature}", "0{name}.{signature}", "{name}.{signature}0"])
def test_a_cookie_that_was_changed_is_nobodys(change: str) -> None:
    name, _, signature = EACH.new().partition(".")
    assert EACH.holder(change.format(name=name, signature=signature)) is None


def test_another_browsers_name_cannot_be_signed_with_ones_own_signature() -> None:
    mine, other = (EACH.new().partition(".") for _ in range(2))
    assert EACH.holder(f"{other[0]}.{mine[2]}") is None


@pytest.mark.parametrize("cookie", ["", ".", "\udcff.\udcff", "x" * 100_000])
@pytest.mark.parametrize("passes", [ONE, EACH])
def test_what_is_no_cookie_at_all_is_nobodys(passes: Passes, cookie: str) -> None:
    assert passes.holder(cookie) is None


def test_no_repr_shows_the_token() -> None:
    assert TOKEN not in repr(EACH)
