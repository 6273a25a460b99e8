"""The transport of the blocking client: attempts, waits and answers."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Callable
from urllib.parse import quote

import httpx
from httpx_sse import EventSource, ServerSentEvent
from typing_extensions import Self

from ._course import DEFAULT_TIMEOUT, Answer, Course, Format, Outcome, Retry, Settings, json_of, new_course


def segment(value: object) -> str:
    """A value as one segment of a path."""
    text = quote(str(value), safe="")
    if text in ("", ".", ".."):
        raise ValueError(f"{text!r} cannot be a part of an address")
    return text


def settings_of(
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
    has_own_client: bool,
) -> Settings:
    """The settings of a client. Raises `ValueError` for a time limit that is not positive."""
    for limit in (timeout, total_timeout):
        if limit is not None and not limit > 0:
            raise ValueError(f"a time limit must be a positive number of seconds, not {limit}")
    return Settings(
        base_url=base_url.rstrip("/"),
        headers={**({"x-api-key": api_key} if api_key else {}), **({"x-owner": owner} if owner else {})},
        max_retries=max_retries,
        max_retry_wait=max_retry_wait,
        on_retry=on_retry,
        timeout=timeout if timeout is not None or has_own_client else DEFAULT_TIMEOUT,
        total_timeout=total_timeout,
        idempotency_keys=idempotency_keys,
    )


def limited(settings: Settings, timeout: float | None, total_timeout: float | None) -> Settings:
    """The settings with other time limits; None keeps a limit."""
    for limit in (timeout, total_timeout):
        if limit is not None and not limit > 0:
            raise ValueError(f"a time limit must be a positive number of seconds, not {limit}")
    values = {**vars(settings)}
    if timeout is not None:
        values["timeout"] = timeout
    if total_timeout is not None:
        values["total_timeout"] = total_timeout
    return Settings(**values)


class Transport:
    """Sends requests to one marketplace. It may be shared by threads."""

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
        http_client: httpx.Client | None = None,
    ) -> None:
        self._http = http_client or httpx.Client()
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

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def _json(self, method: str, path: str, **request: Any) -> Any:
        answer = self._whole(method, path, "json", **request)
        return json_of(answer) if answer.content else None

    def _bytes(self, method: str, path: str, **request: Any) -> bytes:
        return self._whole(method, path, "bytes", **request).content

    def _nothing(self, method: str, path: str, **request: Any) -> None:
        self._whole(method, path, "nothing", **request)

    def _whole(self, method: str, path: str, format: Format, **request: Any) -> Answer:
        outcome = self._outcome(new_course(self._settings, self._http, method, path, format=format, **request))
        assert isinstance(outcome, Answer)
        return outcome

    @contextmanager
    def _stream(self, method: str, path: str, **request: Any) -> Iterator[tuple[Course, httpx.Response]]:
        """The open response of a stream. Raises `MarketApiError`."""
        course = new_course(self._settings, self._http, method, path, format="stream", **request)
        response = self._outcome(course)
        assert isinstance(response, httpx.Response)
        try:
            yield course, response
        finally:
            response.close()

    def _outcome(self, course: Course) -> Answer | httpx.Response:
        while True:
            outcome = self._attempt(course)
            wait = course.wait_after(outcome)
            if wait is None:
                return course.result(outcome)
            time.sleep(wait)

    def _attempt(self, course: Course) -> Outcome:
        try:
            # A redirect could carry a key or a cookie to another host.
            response = self._http.send(course.start(), stream=True, follow_redirects=False)
            if not course.is_whole(response):
                return response
            try:
                chunks = []
                for chunk in response.iter_bytes():
                    course.check()
                    chunks.append(chunk)
                return course.answer(response, chunks)
            finally:
                response.close()
        except httpx.RequestError as error:
            return course.lost(error)


def server_events(course: Course, response: httpx.Response) -> Iterator[ServerSentEvent]:
    """The events of a stream. A lost connection and a silence raise `MarketApiError`."""
    try:
        for event in EventSource(response).iter_sse():
            course.check()
            yield event
    except httpx.RequestError as error:
        raise course.lost(error) from error
