"""The asynchronous client: every operation, and what a generated method cannot do."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Mapping, Sequence
from types import TracebackType
from typing import Any, cast

import anyio
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
from ._async_transport import server_events
from ._invocations import AsyncInvocations, AsyncOnQuestion, is_running, result_of
from ._transport import segment
from .async_operations import AsyncOperations


class AsyncMarket(AsyncOperations):
    """The client for asyncio and trio: the methods of `Market`, as coroutines and asynchronous iterators.

    The arguments are those of `Market`; `http_client` is an `httpx.AsyncClient`.
    """

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    @property
    def invocations(self) -> AsyncInvocations:
        """Calls that go on while the program does something else: `start`, `wait` and `cancel`."""
        return AsyncInvocations(self)

    @property
    def jobs(self) -> AsyncInvocations:
        """The same as `invocations`: a job begins as a call, and is followed, answered and canceled like one."""
        return self.invocations

    async def agent_id(self, agent: str) -> str:
        """The id of an agent: an id is returned as it is, a slug gives its highest live major version."""
        return agent if agent.startswith("agt_") else (await self.get_listing_by_slug(agent))["agent_id"]

    async def invoke(
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
        on_question: AsyncOnQuestion | None = None,
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
        result = await market.invoke_agent(await market.agent_id(agent), body, idempotency_key=idempotency_key)  # type: ignore[arg-type]
        if not is_running(cast("dict[str, Any]", result)):
            return result
        return result_of(await market.invocations.wait(result["invocation_id"], on_question=on_question))

    async def chat(
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
    ) -> AsyncIterator[ChatEvent]:
        """Sends a chat turn and yields its events as they arrive; `done` is the last one.

        A turn that fails raises `MarketApiError` from the loop and costs nothing. Leaving the loop ends the turn.
        """
        market = self.with_limits(timeout=timeout, total_timeout=total_timeout)
        body = call_body(max_cost_credits, mandate, metadata=metadata and dict(metadata), accept=accept, messages=messages_of(turn), session_id=session_id)
        path = f"/v1/agents/{segment(await market.agent_id(agent))}/chat"
        headers = {"Idempotency-Key": idempotency_key}
        async with market._stream("POST", path, headers=headers, body=body, keyed=True) as (course, response):
            async for each in server_events(course, response):
                event = chat_event(course, response, each)
                yield event
                if event["type"] == "done":
                    return
            raise course.cut(response)

    async def events(
        self, *, types: Sequence[t.EventType] = (), after: str | None = None
    ) -> AsyncIterator[AccountEvent]:
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
                async with market._stream("GET", "/v1/events/stream", query=query, headers=headers) as (course, response):
                    async for each in server_events(course, response):
                        position = each.id or position
                        pause = FIRST_PAUSE
                        if each.event != "ready":
                            yield event_data(course, response, each)
            except MarketApiError as error:
                if not error.retryable:
                    raise
            await anyio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
