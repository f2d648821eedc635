"""How hard property tests try: `make fuzz` loads this as a plugin; the ordinary run keeps hypothesis's own settings."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("fuzz", max_examples=5_000, deadline=None)
