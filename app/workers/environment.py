"""The environment a module sees: what programs need to work, and no secret of whoever started the playground."""

from __future__ import annotations

import os

PASSED_ON = (
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TMPDIR",
    "VIRTUAL_ENV",
    "PYTHONPATH",
    "PYTHONHOME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "SYSTEMROOT",
)


def environment() -> dict[str, str]:
    """What a worker sees of this process's environment."""
    return {name: os.environ[name] for name in PASSED_ON if name in os.environ}
