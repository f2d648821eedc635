"""Headers as people write them."""

import pytest

from app.headers import HeadersError, headers_from, headers_text


def test_each_line_is_a_header() -> None:
    assert headers_from("X-Branch: Lisbon\n\n Accept-Language:pt ") == {"X-Branch": "Lisbon", "Accept-Language": "pt"}


@pytest.mark.parametrize("line", ["Lisbon", ": Lisbon", "X Branch: Lisbon", "X-Branch: Lis\u00e9", "X-Branch: a\x01b"])
def test_a_line_that_is_no_header_is_named(line: str) -> None:
    with pytest.raises(HeadersError, match="is no header"):
        headers_from(f"X-Good: 1\n{line}")


def test_headers_are_shown_as_they_are_written() -> None:
    text = "X-Branch: Lisbon\nX-Empty: "
    assert headers_text(headers_from(text)) == text
