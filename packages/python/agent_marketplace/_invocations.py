"""Calls that go on while the program does something else: the blocking and the asynchronous form."""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Union, cast

import anyio

from . import types as t
from ._course import Settings
from ._errors import MarketApiError
from ._events import call_body
from ._transport import segment

if TYPE_CHECKING:
    from ._async_market import AsyncMarket
    from ._market import Market

_LONGEST_WAIT = 60
"""The longest wait of one request, in seconds."""
_PAUSE = 1.0
"""A shorter answer that the call runs comes from a process that stops."""
_RUNNING = ("pending", "running")

OnQuestion = Callable[[t.Question, t.InvocationDetail], Union[Mapping[str, Any], None]]
"""Called once for each question that the agent of a job asks.

The input that it returns, which matches the schema of the question, is sent as the answer. With `None` the question
stays open: `invocations.answer` answers it.
"""
AsyncOnQuestion = Callable[
    [t.Question, t.InvocationDetail], Union[Mapping[str, Any], None, Awaitable[Union[Mapping[str, Any], None]]]
]
"""The same, or a coroutine function."""


class _Wait:
    """A wait for the end of a call, request by request."""

    def __init__(self, invocation_id: str, settings: Settings, asks: bool) -> None:
        self._asks = asks
        self._known = ""
        self._invocation_id = invocation_id
        self._attempt = math.inf if settings.timeout is None else settings.timeout
        self._total = settings.total_timeout
        self._ends_at = math.inf if self._total is None else time.monotonic() + self._total
        self._begun_at = 0.0

    def begin(self) -> tuple[int, float | None]:
        """The seconds for which the next request waits, and its own limit."""
        self._begun_at = time.monotonic()
        left = max(0.001, self._ends_at - self._begun_at)
        wait = max(1, int(min(self._attempt / 2, left, _LONGEST_WAIT)))
        return wait, None if self._total is None else left

    def known(self) -> str | None:
        """The question that the caller knows, if it wants to hear of questions."""
        return self._known if self._asks else None

    def question(self, call: t.InvocationDetail) -> t.Question | None:
        """A question of the call that the caller does not know. From now on it does."""
        job = call["job"] if self._asks else None
        question = job["question"] if job else None
        if question is None or question["question_id"] == self._known:
            return None
        self._known = question["question_id"]
        return question

    def pause(self) -> float:
        """Seconds until the next request may be sent."""
        return max(0.0, self._begun_at + _PAUSE - time.monotonic())

    def failure(self, error: MarketApiError) -> MarketApiError:
        """The error of the wait for that of a request."""
        if error.code != "timeout" or time.monotonic() < self._ends_at:
            return error
        late = MarketApiError(
            f"The call {self._invocation_id} has not ended within {self._total} s. It goes on.",
            status=0,
            code="timeout",
            retryable=True,
            invocation_id=self._invocation_id,
        )
        late.__cause__ = error
        return late


@contextmanager
def _still_open() -> Iterator[None]:
    """Ignores that a question was answered, or has expired, meanwhile."""
    try:
        yield
    except MarketApiError as error:
        if error.code != "invalid_state":
            raise


def _request(
    input: Mapping[str, Any],
    max_cost_credits: int | None,
    idempotency_key: str | None,
    metadata: Mapping[str, str] | None,
) -> dict[str, Any]:
    return {
        "headers": {"Idempotency-Key": idempotency_key, "Prefer": "respond-async"},
        "body": call_body(max_cost_credits, None, metadata=metadata and dict(metadata), input=dict(input)),
        "keyed": True,
    }


def _with_answer(call: t.InvocationDetail, result: Mapping[str, Any]) -> t.InvocationDetail:
    """A call that had ended. The answer may be forgotten once it was delivered, so it is that of the response."""
    answer = {name: value for name, value in result.items() if name not in ("usage", "trace_id")}
    return cast("t.InvocationDetail", {**call, **answer})


def is_running(result: Mapping[str, Any]) -> bool:
    """Whether a call is answered with 202: a job outlives the patience of the response."""
    return result.get("status") in _RUNNING


_RESULT = ("output", "content_type", "output_encoding", "usage", "trace_id", "invocation_id")


def result_of(call: t.InvocationDetail) -> t.InvocationResult:
    """The answer of a call that has ended. Raises its error, with the status of the response that contained it."""
    if call["status"] == "succeeded":
        return cast("t.InvocationResult", {name: value for name, value in call.items() if name in _RESULT})
    error: Mapping[str, Any] = call["error"] or {
        "code": "already_disputed",
        "message": "The call was disputed while it ran.",
        "retryable": False,
    }
    raise MarketApiError(
        error["message"],
        status=200,
        code=error["code"],
        retryable=error["retryable"],
        trace_id=call["trace_id"],
        invocation_id=call["invocation_id"],
    )


class Invocations:
    """The calls of an account: begun, awaited and canceled."""

    def __init__(self, market: Market) -> None:
        self._market = market

    def start(
        self,
        agent: str,
        input: Mapping[str, Any],
        *,
        max_cost_credits: int | None = None,
        idempotency_key: str | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> t.InvocationDetail:
        """Begins a call and returns it while it runs, by its agent's id (`agt_…`) or slug.

        A call that has ended by then, such as that of an earlier request with the same key, has its `output`. Raises
        what refuses a call.
        """
        path = f"/v1/agents/{segment(self._market.agent_id(agent))}/invoke"
        result = self._market._json("POST", path, **_request(input, max_cost_credits, idempotency_key, metadata))
        if "status" in result:
            return cast("t.InvocationDetail", result)
        return _with_answer(self._market.get_invocation(result["invocation_id"]), result)

    def wait(
        self,
        invocation_id: str,
        *,
        timeout: float | None = None,
        total_timeout: float | None = None,
        on_question: OnQuestion | None = None,
    ) -> t.InvocationDetail:
        """Waits until a call has ended and returns it, with its `output` or its `error`.

        `total_timeout` limits the whole wait, in seconds: then `MarketApiError` has the code `timeout`, and the call
        goes on. `timeout` limits each request of it. `on_question` gets each question of the agent as soon as it is
        asked; what it raises ends the wait.
        """
        market = self._market.with_limits(timeout=timeout, total_timeout=total_timeout)
        wait = _Wait(invocation_id, market._settings, on_question is not None)
        while True:
            seconds, left = wait.begin()
            try:
                limited = market.with_limits(total_timeout=left)
                call = limited.get_invocation(invocation_id, wait=seconds, known_question=wait.known())
            except MarketApiError as error:
                raise wait.failure(error)
            if call["status"] not in _RUNNING:
                return call
            question = wait.question(call)
            if question is not None and on_question is not None:
                self._answer_new(call, question, on_question)
            time.sleep(wait.pause())

    def answer(self, invocation_id: str, *, question_id: str, input: Mapping[str, Any]) -> t.InvocationDetail:
        """Answers what the agent of a job asks: `job.question` of the call. The same answer again changes nothing."""
        return self._market.answer_invocation(invocation_id, {"question_id": question_id, "input": dict(input)})

    def _answer_new(self, call: t.InvocationDetail, question: t.Question, on_question: OnQuestion) -> None:
        input = on_question(question, call)
        if input is not None:
            with _still_open():
                self.answer(call["invocation_id"], question_id=question["question_id"], input=input)

    def cancel(self, invocation_id: str) -> t.InvocationDetail:
        """Cancels a call that runs and returns it; it costs nothing. Raises `invalid_state` for one that has ended."""
        return self._market.cancel_invocation(invocation_id)


class AsyncInvocations:
    """The methods of `Invocations`, as coroutines."""

    def __init__(self, market: AsyncMarket) -> None:
        self._market = market

    async def start(
        self,
        agent: str,
        input: Mapping[str, Any],
        *,
        max_cost_credits: int | None = None,
        idempotency_key: str | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> t.InvocationDetail:
        """Begins a call and returns it while it runs, by its agent's id (`agt_…`) or slug.

        A call that has ended by then, such as that of an earlier request with the same key, has its `output`. Raises
        what refuses a call.
        """
        path = f"/v1/agents/{segment(await self._market.agent_id(agent))}/invoke"
        result = await self._market._json("POST", path, **_request(input, max_cost_credits, idempotency_key, metadata))
        if "status" in result:
            return cast("t.InvocationDetail", result)
        return _with_answer(await self._market.get_invocation(result["invocation_id"]), result)

    async def wait(
        self,
        invocation_id: str,
        *,
        timeout: float | None = None,
        total_timeout: float | None = None,
        on_question: AsyncOnQuestion | None = None,
    ) -> t.InvocationDetail:
        """Waits until a call has ended and returns it, with its `output` or its `error`.

        `total_timeout` limits the whole wait, in seconds: then `MarketApiError` has the code `timeout`, and the call
        goes on. `timeout` limits each request of it. `on_question` gets each question of the agent as soon as it is
        asked; what it raises ends the wait.
        """
        market = self._market.with_limits(timeout=timeout, total_timeout=total_timeout)
        wait = _Wait(invocation_id, market._settings, on_question is not None)
        while True:
            seconds, left = wait.begin()
            try:
                limited = market.with_limits(total_timeout=left)
                call = await limited.get_invocation(invocation_id, wait=seconds, known_question=wait.known())
            except MarketApiError as error:
                raise wait.failure(error)
            if call["status"] not in _RUNNING:
                return call
            question = wait.question(call)
            if question is not None and on_question is not None:
                await self._answer_new(call, question, on_question)
            await anyio.sleep(wait.pause())

    async def answer(
        self, invocation_id: str, *, question_id: str, input: Mapping[str, Any]
    ) -> t.InvocationDetail:
        """Answers what the agent of a job asks: `job.question` of the call. The same answer again changes nothing."""
        return await self._market.answer_invocation(
            invocation_id, {"question_id": question_id, "input": dict(input)}
        )

    async def _answer_new(
        self, call: t.InvocationDetail, question: t.Question, on_question: AsyncOnQuestion
    ) -> None:
        input = on_question(question, call)
        if isawaitable(input):
            input = await input
        if input is not None:
            with _still_open():
                await self.answer(call["invocation_id"], question_id=question["question_id"], input=input)

    async def cancel(self, invocation_id: str) -> t.InvocationDetail:
        """Cancels a call that runs and returns it; it costs nothing. Raises `invalid_state` for one that has ended."""
        return await self._market.cancel_invocation(invocation_id)
