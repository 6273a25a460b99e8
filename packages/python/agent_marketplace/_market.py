"""The client: every operation, and what a generated method cannot do."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, Union

import httpx
from httpx_sse import EventSource
from typing_extensions import NotRequired, Self, TypedDict

from . import types as t
from ._errors import MarketApiError, error_of
from ._transport import segment
from .operations import Operations

_FIRST_PAUSE = 1.0
_LONGEST_PAUSE = 30.0


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


class AccountEvent(TypedDict):
    """An event of the account, as its webhooks would receive it."""

    id: str
    type: t.EventType
    timestamp: str
    data: dict[str, Any]


class Market(Operations):
    """A client of the marketplace at `base_url`, such as `https://market.example`.

    - `api_key`: an API key (`amk_live_…`). Without one, `login` starts a session, which this client keeps.
    - `max_retries`: further attempts after the first. 0 turns retries off.
    - `max_retry_wait`: a longer `Retry-After`, in seconds, ends the request with its error.
    - `on_retry`: called before each wait.
    - `timeout`: the longest silence of the service, in seconds. A call of an agent takes up to 5 minutes.
    - `idempotency_keys`: gives calls, tasks and top-ups a random key, so that a repetition is charged once.
    - `http_client`: replaces the client of httpx, for proxies or certificates of your own.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def agent_id(self, agent: str) -> str:
        """The id of an agent: an id is returned as it is, a slug gives its highest live major version."""
        return agent if agent.startswith("agt_") else self.get_listing_by_slug(agent)["agent_id"]

    def invoke(
        self,
        agent: str,
        input: Mapping[str, Any],
        *,
        max_cost_credits: int | None = None,
        idempotency_key: str | None = None,
        mandate: t.PresentedMandate | None = None,
    ) -> t.InvocationResult:
        """Invokes an agent, by id (`agt_…`) or by slug, and returns its answer with usage and cost.

        `max_cost_credits` is the ceiling of the call. A repeated call with the same `idempotency_key` is charged once.
        """
        body = {"input": dict(input), **_call(max_cost_credits, mandate)}
        return self.invoke_agent(self.agent_id(agent), body, idempotency_key=idempotency_key)  # type: ignore[arg-type]

    def chat(
        self,
        agent: str,
        turn: str | Sequence[t.ChatMessage],
        *,
        session_id: str | None = None,
        max_cost_credits: int | None = None,
        idempotency_key: str | None = None,
        mandate: t.PresentedMandate | None = None,
    ) -> Iterator[ChatEvent]:
        """Sends a chat turn and yields its events as they arrive; `done` is the last one.

        A turn that fails raises `MarketApiError` from the loop and costs nothing. Leaving the loop ends the turn.
        """
        messages = [{"role": "user", "content": turn}] if isinstance(turn, str) else list(turn)
        body = {"messages": messages, **_call(max_cost_credits, mandate)}
        if session_id is not None:
            body["session_id"] = session_id
        path = f"/v1/agents/{segment(self.agent_id(agent))}/chat"
        headers = {"Idempotency-Key": idempotency_key}
        with self._send("POST", path, headers=headers, body=body, keyed=True) as response:
            for event in _lost_is_unreachable(response):
                data = event.json()
                if data["type"] == "error":
                    raise error_of(response, data)
                yield data
                if data["type"] == "done":
                    return
        raise _ended_early(response)

    def events(
        self, *, types: Sequence[t.EventType] = (), after: str | None = None
    ) -> Iterator[AccountEvent]:
        """Yields the events of the account as they happen, without end and without a public address.

        Connects again after a lost connection and resumes behind the last event. `after` is the position of an earlier
        event. Raises `MarketApiError` if the service refuses.
        """
        position, pause = after, _FIRST_PAUSE
        while True:
            try:
                headers = {"Last-Event-ID": position}
                query = {"type": list(types) or None}
                with self._send("GET", "/v1/events/stream", query=query, headers=headers) as response:
                    for event in _lost_is_unreachable(response):
                        position = event.id or position
                        pause = _FIRST_PAUSE
                        if event.event != "ready":
                            yield event.json()
            except MarketApiError as error:
                if not error.retryable:
                    raise
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)


def _call(max_cost_credits: int | None, mandate: t.PresentedMandate | None) -> dict[str, Any]:
    given = {"max_cost_credits": max_cost_credits, "mandate": mandate}
    return {name: value for name, value in given.items() if value is not None}


def _lost_is_unreachable(response: httpx.Response) -> Iterator[Any]:
    """The events of a stream. A lost connection raises `MarketApiError`."""
    try:
        yield from EventSource(response).iter_sse()
    except httpx.TransportError as error:
        raise _ended_early(response) from error


def _ended_early(response: httpx.Response) -> MarketApiError:
    return MarketApiError(
        "The stream ended before it was complete: GET /v1/invocations has the call.",
        status=0,
        code="unreachable",
        retryable=True,
        trace_id=response.headers.get("x-trace-id"),
    )
