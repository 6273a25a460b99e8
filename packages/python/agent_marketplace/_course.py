"""The course of one request: its time limits, what is repeated, and its errors. Both transports follow it."""

from __future__ import annotations

import json
import random
import time
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Callable, Literal, Union

import httpx

from ._errors import MarketApiError, error_of, retry_after

_FIRST_WAIT = 0.25
_REPEATABLE = {"GET", "HEAD", "OPTIONS", "PUT", "DELETE"}
_UNAVAILABLE = {502, 503, 504}
DEFAULT_TIMEOUT = 330.0
_CONNECT_TIMEOUT = 10.0


@dataclass(frozen=True)
class Retry:
    """A wait before a request is repeated, as `on_retry` receives it."""

    attempt: int
    wait: float
    """Seconds."""
    reason: str


@dataclass(frozen=True)
class Settings:
    """What a client was made with."""

    base_url: str
    headers: Mapping[str, str]
    max_retries: int
    max_retry_wait: float
    on_retry: Callable[[Retry], None] | None
    timeout: float | None
    total_timeout: float | None
    idempotency_keys: bool


@dataclass(frozen=True)
class Answer:
    """A response whose body has arrived whole."""

    status_code: int
    headers: httpx.Headers
    content: bytes


Outcome = Union[Answer, httpx.Response, MarketApiError]
Format = Literal["json", "bytes", "nothing", "stream"]


class Course:
    """One request from its first attempt to its end."""

    def __init__(self, settings: Settings, request: httpx.Request, format: Format) -> None:
        self.request = request
        self.format = format
        self._settings = settings
        self._attempt = 0
        self._ends_at = None if settings.total_timeout is None else time.monotonic() + settings.total_timeout

    @property
    def key(self) -> str | None:
        """The idempotency key of the request."""
        key: str | None = self.request.headers.get("idempotency-key")
        return key

    def start(self) -> httpx.Request:
        """The request of the next attempt, with what is left of its time."""
        self._attempt += 1
        limits = [limit for limit in (self._settings.timeout, self._left()) if limit is not None]
        if limits:
            limit = max(0.001, min(limits))
            timeout = httpx.Timeout(limit, connect=min(limit, _CONNECT_TIMEOUT))
            self.request.extensions = {**self.request.extensions, "timeout": timeout.as_dict()}
        return self.request

    def check(self) -> None:
        """Raises `MarketApiError` when the time of the request has passed."""
        left = self._left()
        if left is not None and left <= 0:
            raise self._failure("timeout", f"did not answer within {self._settings.total_timeout} s in all")

    def is_whole(self, response: httpx.Response) -> bool:
        """Whether the body of a response is read before it is used."""
        return self.format != "stream" or not response.is_success

    def answer(self, response: httpx.Response, chunks: Iterable[bytes]) -> Outcome:
        """The answer that a body makes. A success that is not the marketplace's is a failure."""
        answer = Answer(response.status_code, response.headers, b"".join(chunks))
        if response.is_success and self.format == "json" and answer.content and json_of(answer) is None:
            kind = response.headers.get("content-type", "no content type")
            return self._failure("unreachable", f"answered with no JSON ({kind}); a proxy may have answered")
        return answer

    def lost(self, error: httpx.RequestError) -> MarketApiError:
        """The error of an attempt that got no answer."""
        left = self._left()
        if isinstance(error, httpx.TimeoutException):
            in_all = left is not None and left <= 0
            limit = self._settings.total_timeout if in_all else self._settings.timeout
            within = "in time" if limit is None else f"within {limit} s{' in all' if in_all else ''}"
            failure = self._failure("timeout", f"did not answer {within}")
        else:
            failure = self._failure("unreachable", f"cannot be reached ({error})")
        failure.__cause__ = error
        return failure

    def cut(self, response: httpx.Response) -> MarketApiError:
        """The error of a stream that ends before its last event."""
        return MarketApiError(
            "The stream ended before it was complete: GET /v1/invocations has the call.",
            status=0,
            code="unreachable",
            retryable=True,
            trace_id=response.headers.get("x-trace-id"),
            idempotency_key=self.key,
        )

    def wait_after(self, outcome: Outcome) -> float | None:
        """Seconds until the next attempt, None if there is none."""
        reason = self._reason_to_repeat(outcome)
        asked = None if isinstance(outcome, MarketApiError) else retry_after(outcome)
        grown = _FIRST_WAIT * 2 ** (self._attempt - 1) * (1 + random.random())
        wait = grown if asked is None else asked
        left = self._left()
        is_late = wait > self._settings.max_retry_wait or (left is not None and wait > left)
        if reason is None or self._attempt > self._settings.max_retries or is_late:
            return None
        if self._settings.on_retry:
            self._settings.on_retry(Retry(self._attempt, wait, reason))
        return wait

    def result(self, outcome: Outcome) -> Answer | httpx.Response:
        """The last outcome. Raises `MarketApiError` unless it is a success."""
        if isinstance(outcome, MarketApiError):
            raise outcome
        if isinstance(outcome, Answer) and not 200 <= outcome.status_code < 300:
            raise error_of(outcome, json_of(outcome), self.key)
        return outcome

    def _reason_to_repeat(self, outcome: Outcome) -> str | None:
        """A refusal by a limit did nothing. Others are repeated where a second request has no second effect."""
        is_safe = self.request.method in _REPEATABLE or self.key is not None
        if isinstance(outcome, MarketApiError):
            return outcome.message if is_safe else None
        if outcome.status_code == 429:
            return "too many requests"
        if not is_safe or outcome.status_code not in _UNAVAILABLE:
            return None
        # The service's own error says by its code what the caller can do.
        is_own = isinstance(outcome, Answer) and _has_code(json_of(outcome))
        return None if is_own and outcome.status_code != 503 else "the service is not available"

    def _left(self) -> float | None:
        return None if self._ends_at is None else self._ends_at - time.monotonic()

    def _failure(self, code: Literal["unreachable", "timeout"], what: str) -> MarketApiError:
        return MarketApiError(
            f"{self._settings.base_url} {what}.",
            status=0,
            code=code,
            retryable=True,
            idempotency_key=self.key,
        )


def new_course(
    settings: Settings,
    client: httpx.Client | httpx.AsyncClient,
    method: str,
    path: str,
    *,
    format: Format,
    query: Mapping[str, Any] | None = None,
    headers: Mapping[str, Any] | None = None,
    body: Any = None,
    keyed: bool = False,
) -> Course:
    """The course of a request, with its credential and its idempotency key."""
    given = {name: str(value) for name, value in (headers or {}).items() if value is not None}
    if keyed and settings.idempotency_keys:
        given.setdefault("Idempotency-Key", str(uuid.uuid4()))
    request = client.build_request(
        method,
        settings.base_url + path,
        params={name: value for name, value in (query or {}).items() if value is not None},
        headers={**settings.headers, **given},
        json=body,
    )
    return Course(settings, request, format)


def json_of(answer: Answer) -> Any:
    """The JSON of a body; None if it is none."""
    try:
        return json.loads(answer.content)
    except ValueError:
        return None


def _has_code(body: Any) -> bool:
    error = body.get("error") if isinstance(body, dict) else None
    return isinstance(error, dict) and isinstance(error.get("code"), str)
