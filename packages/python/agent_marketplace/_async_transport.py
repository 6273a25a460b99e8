"""The transport of the asynchronous client, for asyncio and trio."""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Callable

import anyio
import httpx
from httpx_sse import EventSource, ServerSentEvent
from typing_extensions import Self

from ._course import Answer, Course, Format, Outcome, Retry, json_of, new_course
from ._transport import limited, settings_of


class AsyncTransport:
    """Sends requests to one marketplace. It may be shared by tasks of one event loop."""

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        owner: str | None = None,
        max_retries: int = 3,
        max_retry_wait: float = 60.0,
        on_retry: Callable[[Retry], None] | None = None,
        timeout: float | None = None,
        total_timeout: float | None = None,
        idempotency_keys: bool = True,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        self._http = http_client or httpx.AsyncClient()
        self._settings = settings_of(
            base_url,
            api_key=api_key,
            owner=owner,
            max_retries=max_retries,
            max_retry_wait=max_retry_wait,
            on_retry=on_retry,
            timeout=timeout,
            total_timeout=total_timeout,
            idempotency_keys=idempotency_keys,
            has_own_client=http_client is not None,
        )

    def with_limits(self, *, timeout: float | None = None, total_timeout: float | None = None) -> Self:
        """The same client, with the same connections and session, and other time limits in seconds."""
        other = copy.copy(self)
        other._settings = limited(self._settings, timeout, total_timeout)
        return other

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def _json(self, method: str, path: str, **request: Any) -> Any:
        answer = await self._whole(method, path, "json", **request)
        return json_of(answer) if answer.content else None

    async def _bytes(self, method: str, path: str, **request: Any) -> bytes:
        return (await self._whole(method, path, "bytes", **request)).content

    async def _nothing(self, method: str, path: str, **request: Any) -> None:
        await self._whole(method, path, "nothing", **request)

    async def _whole(self, method: str, path: str, format: Format, **request: Any) -> Answer:
        course = new_course(self._settings, self._http, method, path, format=format, **request)
        outcome = await self._outcome(course)
        assert isinstance(outcome, Answer)
        return outcome

    @asynccontextmanager
    async def _stream(
        self, method: str, path: str, **request: Any
    ) -> AsyncIterator[tuple[Course, httpx.Response]]:
        """The open response of a stream. Raises `MarketApiError`."""
        course = new_course(self._settings, self._http, method, path, format="stream", **request)
        response = await self._outcome(course)
        assert isinstance(response, httpx.Response)
        try:
            yield course, response
        finally:
            await response.aclose()

    async def _outcome(self, course: Course) -> Answer | httpx.Response:
        while True:
            outcome = await self._attempt(course)
            wait = course.wait_after(outcome)
            if wait is None:
                return course.result(outcome)
            await anyio.sleep(wait)

    async def _attempt(self, course: Course) -> Outcome:
        try:
            # A redirect could carry a key or a cookie to another host.
            response = await self._http.send(course.start(), stream=True, follow_redirects=False)
            if not course.is_whole(response):
                return response
            try:
                chunks = []
                async for chunk in response.aiter_bytes():
                    course.check()
                    chunks.append(chunk)
                return course.answer(response, chunks)
            finally:
                await response.aclose()
        except httpx.RequestError as error:
            return course.lost(error)


async def server_events(course: Course, response: httpx.Response) -> AsyncIterator[ServerSentEvent]:
    """The events of a stream. A lost connection and a silence raise `MarketApiError`."""
    try:
        async for event in EventSource(response).aiter_sse():
            course.check()
            yield event
    except httpx.RequestError as error:
        raise course.lost(error) from error
