"""Where the files of the page lie, and which scripts of others it needs.

Knows paths and names only: it opens no file of the page, and knows neither routes nor settings. The build hook reads
`SCRIPTS` too, so this module imports the standard library alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

_PACKAGE = Path(__file__).resolve().parent

FALLBACK_ORIGIN = "https://cdn.jsdelivr.net"
"""The one foreign origin a page may name, and only while a script of `SCRIPTS` is missing on this machine."""


class Script(NamedTuple):
    """A file of an npm package that the page loads.

    `package` and `version` are pinned in package.json as well; `member` is the file's path in the package, `integrity`
    the sha384 of exactly that file, in the form of an HTML `integrity` attribute.
    """

    package: str
    version: str
    member: str
    integrity: str

    @property
    def name(self) -> str:
        """Path below the directory of static files."""
        return f"lib/{self.member.rsplit('/', 1)[-1]}"

    @property
    def fallback_url(self) -> str:
        return f"{FALLBACK_ORIGIN}/npm/{self.package}@{self.version}/{self.member}"


SCRIPTS = (
    Script(
        "htmx.org",
        "2.0.11",
        "dist/htmx.min.js",
        "sha384-2OatzQy1H+Zd/IIrjr1TcuDGqLXeHhbooAyJY1KdQMKnr4LZ22k31GBLdYKHmVjg",
    ),
    Script(
        "idiomorph",
        "0.8.0",
        "dist/idiomorph-ext.min.js",
        "sha384-+iBk70O0UWQdSjXQSQ7amSxXCrsWq/6UOtvC9rDo0p7telbTSOyttExq6QCFBzNk",
    ),
)


class ScriptTag(NamedTuple):
    """What a page writes into one `<script>`: an address, and the hash where the file is not ours."""

    src: str
    integrity: str | None


def directory(name: str) -> Path:
    """The directory `templates`, `static` or `sample_tools`: in an installed wheel, or else in the checkout."""
    installed = _PACKAGE / f"_{name}"
    return installed if installed.is_dir() else _PACKAGE.parent / name


def missing_scripts(static: Path) -> list[Script]:
    return [script for script in SCRIPTS if not (static / script.name).is_file()]


def script_tags(static: Path, *, base: str = "/static", offline: bool = False) -> list[ScriptTag]:
    """The scripts of others in loading order: the local file where there is one, the CDN's where there is none.

    `offline` never names another host: a script that is missing then is left out.
    """
    tags = []
    for script in SCRIPTS:
        if (static / script.name).is_file():
            tags.append(ScriptTag(f"{base}/{script.name}", None))
        elif not offline:
            tags.append(ScriptTag(script.fallback_url, script.integrity))
    return tags


def fallback_origin(static: Path, *, offline: bool = False) -> str | None:
    """The origin that a page's policy must permit for its scripts, or None when every script comes from here."""
    return FALLBACK_ORIGIN if missing_scripts(static) and not offline else None


def main() -> None:
    """Say, after an install, which scripts did not come."""
    for script in missing_scripts(directory("static")):
        print(
            f"static/{script.name} is missing: the npm registry could not be reached, or gave another file. "
            "The page will load it from the CDN, and cannot work with --offline. "
            "To try again: touch pyproject.toml && make install"
        )


if __name__ == "__main__":
    main()
