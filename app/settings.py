"""What a start of the playground was asked to do, read once and checked.

Knows flags, not sockets: the port may be 0 here, until whoever binds it says which one it became.
"""

from __future__ import annotations

import ipaddress
import secrets
from dataclasses import dataclass, field, replace
from typing import Literal
from urllib.parse import urlsplit

WorkspaceMode = Literal["one", "browser"]

TOKEN_BYTES = 32
_DEFAULT_PORTS = {"http": 80, "https": 443}


class InvalidSettings(ValueError):
    """Raised when flags contradict each other or are not safe; the message says what to write instead."""


def new_token() -> str:
    """A secret of 256 bits that can stand in an address."""
    return secrets.token_urlsafe(TOKEN_BYTES)


@dataclass(frozen=True)
class Settings:
    """The options of `playground serve`, as in the contract.

    `public_url` is normalised to an origin (`https://host[:port]`). `token` is new at each start and shows in no repr.
    `isolate` is on where browsers have workspaces of their own; `despite_holes` serves them though a wall is missing.

    Raises:
        InvalidSettings: `host` is not loopback and there is no `public_url`, or the latter is no http(s) origin.
    """

    paths: tuple[str, ...] = ()
    host: str = "127.0.0.1"
    port: int = 8000
    python: str | None = None
    no_browser: bool = False
    offline: bool = False
    isolate: bool = False
    public_url: str | None = None
    workspaces: WorkspaceMode = "one"
    despite_holes: bool = False
    token: str = field(default_factory=new_token, repr=False)

    def __post_init__(self) -> None:
        if self.workspaces == "browser":
            object.__setattr__(self, "isolate", True)
        if self.public_url is not None:
            object.__setattr__(self, "public_url", origin_of(self.public_url))
        elif not is_loopback(self.host):
            raise InvalidSettings(
                f"--host {self.host!r} can be reached from other machines, and whoever reaches the playground "
                "runs code as you. Leave --host away, or say with --public-url under which address it is meant to be "
                "reached, for example --public-url https://playground.example.org."
            )

    def with_port(self, port: int) -> Settings:
        """The same start, on the port that was really bound."""
        return replace(self, port=port)

    @property
    def hosts(self) -> frozenset[str]:
        """The exact `Host` headers that mean this server, in lower case."""
        names = {"127.0.0.1", "localhost", "[::1]"}
        if is_loopback(self.host):
            names.add(_bracketed(self.host.lower()))
        own = {name if self.port == _DEFAULT_PORTS["http"] else f"{name}:{self.port}" for name in names}
        return frozenset(own | ({urlsplit(self.public_url).netloc} if self.public_url else set()))

    @property
    def origins(self) -> frozenset[str]:
        """The exact `Origin` headers of our own pages."""
        public = {self.public_url} if self.public_url else set()
        local = self.hosts - {urlsplit(origin).netloc for origin in public}
        return frozenset({f"http://{host}" for host in local} | public)

    @property
    def url(self) -> str:
        """The address to open, with its token."""
        base = self.public_url or f"http://{_bracketed(self.host)}:{self.port}"
        return f"{base}/?token={self.token}"


def is_loopback(host: str) -> bool:
    """Whether `host` is written in one of the plain ways that can only mean this machine.

    What a resolver, an old notation or a zone might turn into another address counts as another machine.
    """
    if host.lower() == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address == ipaddress.IPv6Address("::1") or (address.version == 4 and address.is_loopback)


def origin_of(url: str) -> str:
    """`url` as browsers write an origin: lower case, no default port, no path. Raises: InvalidSettings."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    extra = parts.path.strip("/") or parts.query or parts.fragment or parts.username or parts.password
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or extra or any(map(str.isspace, url)):
        raise InvalidSettings(
            f"--public-url {url!r} is not an origin. Write scheme, host and port, and nothing after them, "
            "for example https://playground.example.org or http://192.168.1.5:8000."
        )
    host = _bracketed(parts.hostname)
    return f"{parts.scheme}://{host}" + (f":{port}" if port not in (None, _DEFAULT_PORTS[parts.scheme]) else "")


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
