"""The blocking client: every operation, and what a generated method cannot do."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, cast

from typing_extensions import Self

from . import types as t
from ._errors import MarketApiError
from ._events import (
    EVENT_SILENCE,
    FIRST_PAUSE,
    LONGEST_PAUSE,
    AccountEvent,
    ChatEvent,
    call_body,
    chat_event,
    event_data,
    messages_of,
)
from ._invocations import Invocations, OnQuestion, is_running, result_of
from ._transport import segment, server_events
from .operations import Operations


class Market(Operations):
    """A client of the marketplace at `base_url`, such as `https://market.example`.

    - `api_key`: an API key (`amk_live_…`). Without one, `login` starts a session, which this client keeps.
    - `owner`: the organisation (`org_…`) for which the requests of a session act; without it, the one that the session chose.
    - `max_retries`: further attempts after the first. 0 turns retries off.
    - `max_retry_wait`: a longer `Retry-After`, in seconds, ends the request with its error.
    - `on_retry`: called before each wait.
    - `timeout`: the longest silence of the service, in seconds. 330 by default: a call of an agent takes up to 5 minutes.
    - `total_timeout`: the longest time of a request with all attempts and waits, and of a stream to its end, in seconds.
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

    @property
    def invocations(self) -> Invocations:
        """Calls that go on while the program does something else: `start`, `wait` and `cancel`."""
        return Invocations(self)

    @property
    def jobs(self) -> Invocations:
        """The same as `invocations`: a job begins as a call, and is followed, answered and canceled like one."""
        return self.invocations

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
        metadata: Mapping[str, str] | None = None,
        accept: t.Accept | None = None,
        mandate: t.PresentedMandate | None = None,
        timeout: float | None = None,
        total_timeout: float | None = None,
        on_question: OnQuestion | None = None,
    ) -> t.InvocationResult:
        """Invokes an agent, by id (`agt_…`) or by slug, and returns its answer with usage and cost.

        `max_cost_credits` is the ceiling of the call. A repeated call with the same `idempotency_key` is charged once.
        `metadata` are pairs of your own by which you find and sum calls; the agent does not get them.
        `accept` are tests of the answer: the call is paid only if it passes them.
        `timeout` and `total_timeout` replace the limits of the client, in seconds.
        `on_question` answers what the agent of a job asks.
        """
        market = self.with_limits(timeout=timeout, total_timeout=total_timeout)
        body = call_body(max_cost_credits, mandate, metadata=metadata and dict(metadata), accept=accept, input=dict(input))
        result = market.invoke_agent(market.agent_id(agent), body, idempotency_key=idempotency_key)  # type: ignore[arg-type]
        if not is_running(cast("dict[str, Any]", result)):
            return result
        return result_of(market.invocations.wait(result["invocation_id"], on_question=on_question))

    def chat(
        self,
        agent: str,
        turn: str | Sequence[t.ChatMessage],
        *,
        session_id: str | None = None,
        max_cost_credits: int | None = None,
        idempotency_key: str | None = None,
        metadata: Mapping[str, str] | None = None,
        accept: t.Accept | None = None,
        mandate: t.PresentedMandate | None = None,
        timeout: float | None = None,
        total_timeout: float | None = None,
    ) -> Iterator[ChatEvent]:
        """Sends a chat turn and yields its events as they arrive; `done` is the last one.

        A turn that fails raises `MarketApiError` from the loop and costs nothing. Leaving the loop ends the turn.
        """
        market = self.with_limits(timeout=timeout, total_timeout=total_timeout)
        body = call_body(max_cost_credits, mandate, metadata=metadata and dict(metadata), accept=accept, messages=messages_of(turn), session_id=session_id)
        path = f"/v1/agents/{segment(market.agent_id(agent))}/chat"
        headers = {"Idempotency-Key": idempotency_key}
        with market._stream("POST", path, headers=headers, body=body, keyed=True) as (course, response):
            for each in server_events(course, response):
                event = chat_event(course, response, each)
                yield event
                if event["type"] == "done":
                    return
            raise course.cut(response)

    def events(
        self, *, types: Sequence[t.EventType] = (), after: str | None = None
    ) -> Iterator[AccountEvent]:
        """Yields the events of the account as they happen, without end and without a public address.

        Connects again after a lost connection and resumes behind the last event. `after` is the position of an earlier
        event. Raises `MarketApiError` if the service refuses.
        """
        market = self.with_limits(timeout=EVENT_SILENCE, total_timeout=math.inf)
        query = {"type": list(types) or None}
        position, pause = after, FIRST_PAUSE
        while True:
            try:
                headers = {"Last-Event-ID": position}
                with market._stream("GET", "/v1/events/stream", query=query, headers=headers) as (course, response):
                    for each in server_events(course, response):
                        position = each.id or position
                        pause = FIRST_PAUSE
                        if each.event != "ready":
                            yield event_data(course, response, each)
            except MarketApiError as error:
                if not error.retryable:
                    raise
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
