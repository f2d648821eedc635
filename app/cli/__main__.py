"""`python -m app.cli`: the `playground` command where it is not installed."""

from app.cli import main

main()
