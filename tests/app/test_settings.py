"""Which addresses may be bound, and which headers mean this server."""

from __future__ import annotations

import pytest

from app import main
from app.settings import InvalidSettings, Settings, is_loopback, origin_of

NOT_LOOPBACK = [
    "0.0.0.0",
    "::",
    "",
    "*",
    "0",
    "0.0",
    "0.0.0",
    "00.0.0.0",
    "000.000.000.000",
    "0x0",
    "0x00000000",
    "00000000000",
    "::0",
    "0::",
    "0:0:0:0:0:0:0:0",
    "0000:0000:0000:0000:0000:0000:0000:0000",
    "::0.0.0.0",
    "::ffff:0.0.0.0",
    "::ffff:0:0",
    "[::]",
    "::%lo",
    " 0.0.0.0",
    "0.0.0.0 ",
    "localhost.",
    "localhost.example.org",
    "127.1",
    "::ffff:127.0.0.1",
    "192.168.1.5",
    "host.docker.internal",
]


@pytest.mark.parametrize("host", NOT_LOOPBACK)
def test_binding_beyond_loopback_is_refused_without_a_public_url(host: str) -> None:
    with pytest.raises(InvalidSettings, match="--public-url"):
        Settings(host=host)


@pytest.mark.parametrize("host", NOT_LOOPBACK)
def test_a_public_url_permits_any_bind(host: str) -> None:
    assert Settings(host=host, public_url="https://playground.example.org").host == host


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "localhost", "LOCALHOST", "::1", "0:0:0:0:0:0:0:1"])
def test_plain_loopback_addresses_need_no_permission(host: str) -> None:
    assert is_loopback(host)
    assert Settings(host=host).host == host


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://Playground.Example.org/", "https://playground.example.org"),
        ("https://playground.example.org:443", "https://playground.example.org"),
        ("http://192.168.1.5:8000", "http://192.168.1.5:8000"),
        ("http://[fd00::1]:8000", "http://[fd00::1]:8000"),
        ("http://example.org:80/", "http://example.org"),
    ],
)
def test_a_public_url_is_read_as_browsers_write_an_origin(url: str, origin: str) -> None:
    assert origin_of(url) == origin


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.org",
        "ftp://example.org",
        "https://",
        "https://example.org/path",
        "https://example.org?x=1",
        "https://example.org#x",
        "https://ana:secret@example.org",
        "https://example.org:port",
        "https://exa mple.org",
        "https://[::1",
        "javascript:alert(1)",
    ],
)
def test_a_public_url_that_is_no_origin_is_refused(url: str) -> None:
    with pytest.raises(InvalidSettings, match="--public-url"):
        Settings(public_url=url)


def test_the_loopback_names_with_the_port_mean_this_server() -> None:
    settings = Settings(port=8123)
    assert settings.hosts == {"127.0.0.1:8123", "localhost:8123", "[::1]:8123"}
    assert settings.origins == {"http://127.0.0.1:8123", "http://localhost:8123", "http://[::1]:8123"}


def test_the_public_address_means_this_server_too() -> None:
    settings = Settings(host="0.0.0.0", port=8123, public_url="https://playground.example.org")
    assert settings.hosts == {"127.0.0.1:8123", "localhost:8123", "[::1]:8123", "playground.example.org"}
    assert "https://playground.example.org" in settings.origins
    assert "http://playground.example.org" not in settings.origins


def test_the_port_that_was_bound_replaces_the_port_that_was_asked_for() -> None:
    settings = Settings(port=0)
    bound = settings.with_port(50123)
    assert (bound.token, "localhost:50123" in bound.hosts) == (settings.token, True)


@pytest.mark.parametrize(
    ("options", "start"),
    [
        ({}, "http://127.0.0.1:8000/?token="),
        ({"host": "::1"}, "http://[::1]:8000/?token="),
        ({"host": "0.0.0.0", "public_url": "https://example.org"}, "https://example.org/?token="),
    ],
)
def test_the_address_to_open_carries_the_token(options: dict[str, str], start: str) -> None:
    settings = Settings(**options)  # type: ignore[arg-type]
    assert settings.url == start + settings.token


def test_each_start_has_its_own_token_of_256_bits_which_no_repr_shows() -> None:
    one, other = Settings(), Settings()
    assert one.token != other.token
    assert len(one.token) == 43
    assert one.token not in repr(one)


def test_where_browsers_have_workspaces_of_their_own_modules_are_isolated() -> None:
    assert Settings(workspaces="browser").isolate
    assert not Settings().isolate


def test_with_a_hole_no_browser_gets_a_workspace_of_its_own_unless_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main, "holes", lambda _python: ["memory of others can be read"])
    with pytest.raises(main.CannotServe, match="--despite-holes"):
        main.serve(Settings(("sample_tools",), port=0, workspaces="browser"))
