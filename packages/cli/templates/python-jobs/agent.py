"""What the agent does. manifest.json describes input and output."""

from __future__ import annotations

import time
from typing import Any, Callable

# Shows the buyer how much of the work is done, from 0 to 1, with a sentence. Raises JobOver of jobs.py when the buyer has
# cancelled: the work ends there.
Report = Callable[[float, str], None]

LINE_SECONDS = 0.2


class InvalidInput(Exception):
    """An input that does not match the input schema. The server answers it with status 422."""


def read_input(given: Any) -> str:
    text = given.get("text") if isinstance(given, dict) else None
    if not isinstance(text, str):
        raise InvalidInput("text must be a string")
    return text


def work(text: str, report: Report) -> dict[str, Any]:
    """Counts the words of a text. A pause before each line stands for slow work."""
    lines = text.split("\n")
    words = 0
    for number, line in enumerate(lines, start=1):
        time.sleep(LINE_SECONDS)
        words += len(line.split())
        report(number / len(lines), f"Read {number} of {len(lines)} lines")
    return {"words": words}
