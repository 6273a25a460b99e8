"""Chat turns and events, as both clients read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Union

import httpx
from httpx_sse import ServerSentEvent
from typing_extensions import NotRequired, TypedDict

from . import types as t
from ._course import Course
from ._errors import error_of

FIRST_PAUSE = 1.0
LONGEST_PAUSE = 30.0
EVENT_SILENCE = 60.0
"""The service sends a comment every 15 s: a longer silence is a lost connection."""


class OutputChunk(TypedDict):
    type: Literal["output_chunk"]
    chunk: str


class UsageReport(TypedDict):
    type: Literal["usage"]
    usage: t.Usage


class Done(TypedDict):
    """The last event of a chat turn."""

    type: Literal["done"]
    invocation_id: str
    trace_id: str
    usage: t.Usage
    session_id: str
    truncated: NotRequired[bool]


ChatEvent = Union[OutputChunk, UsageReport, Done]
AccountEvent = t.WebhookEvent
"""An event of the account, as its webhooks would receive it, with its `id`."""


def call_body(
    max_cost_credits: int | None, mandate: t.PresentedMandate | None, **more: Any
) -> dict[str, Any]:
    """The body of a call, without what was not given."""
    given = {**more, "max_cost_credits": max_cost_credits, "mandate": mandate}
    return {name: value for name, value in given.items() if value is not None}


def messages_of(turn: str | Sequence[t.ChatMessage]) -> Sequence[Mapping[str, Any]]:
    """The messages of a turn."""
    return [{"role": "user", "content": turn}] if isinstance(turn, str) else list(turn)


def chat_event(course: Course, response: httpx.Response, event: ServerSentEvent) -> ChatEvent:
    """An event of a turn. Raises `MarketApiError` for the end of a turn that failed."""
    data = event_data(course, response, event)
    if data["type"] == "error":
        raise error_of(response, data, course.key)
    return data  # type: ignore[no-any-return]


def event_data(course: Course, response: httpx.Response, event: ServerSentEvent) -> Any:
    """The data of an event. Raises `MarketApiError` if it is no JSON."""
    try:
        return event.json()
    except ValueError as error:
        raise course.cut(response) from error
