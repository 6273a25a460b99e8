"""Requests: credential, retries, idempotency keys and errors."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Callable
from urllib.parse import quote

import httpx

from ._errors import MarketApiError, error_of, retry_after

_FIRST_WAIT = 0.25
_REPEATABLE = {"GET", "HEAD", "OPTIONS", "PUT", "DELETE"}


@dataclass(frozen=True)
class Retry:
    """A wait before a request is repeated, as `on_retry` receives it."""

    attempt: int
    wait: float
    """Seconds."""
    reason: str


def segment(value: object) -> str:
    """A value as one segment of a path."""
    text = quote(str(value), safe="")
    if text in ("", ".", ".."):
        raise ValueError(f"{text!r} cannot be a part of an address")
    return text


class Transport:
    """Sends requests to one marketplace. It may be shared by threads."""

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        max_retries: int = 3,
        max_retry_wait: float = 60.0,
        on_retry: Callable[[Retry], None] | None = None,
        timeout: float = 330.0,
        idempotency_keys: bool = True,
        http_client: httpx.Client | None = None,
    ) -> None:
        self._http = http_client or httpx.Client(timeout=httpx.Timeout(timeout, connect=10.0))
        self._base_url = base_url.rstrip("/")
        self._headers = {"x-api-key": api_key} if api_key else {}
        self._max_retries = max_retries
        self._max_retry_wait = max_retry_wait
        self._on_retry = on_retry
        self._idempotency_keys = idempotency_keys

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def _json(self, method: str, path: str, **request: Any) -> Any:
        with self._send(method, path, **request) as response:
            return response.json() if response.read() else None

    def _bytes(self, method: str, path: str, **request: Any) -> bytes:
        with self._send(method, path, **request) as response:
            return response.read()

    def _nothing(self, method: str, path: str, **request: Any) -> None:
        with self._send(method, path, **request) as response:
            response.read()

    @contextmanager
    def _send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, Any] | None = None,
        body: Any = None,
        keyed: bool = False,
    ) -> Iterator[httpx.Response]:
        """Sends a request, repeats what is safe to repeat, and gives the open response. Raises `MarketApiError`."""
        given = {name: str(value) for name, value in (headers or {}).items() if value is not None}
        if keyed and self._idempotency_keys:
            given.setdefault("Idempotency-Key", str(uuid.uuid4()))
        request = self._http.build_request(
            method,
            self._base_url + path,
            params={name: value for name, value in (query or {}).items() if value is not None},
            headers={**self._headers, **given},
            json=body,
        )
        response = self._with_retries(request)
        try:
            if not response.is_success:
                response.read()
                raise error_of(response, _json_or_none(response))
            yield response
        finally:
            response.close()

    def _with_retries(self, request: httpx.Request) -> httpx.Response:
        attempt = 0
        while True:
            attempt += 1
            outcome = self._attempt(request)
            reason = _reason_to_repeat(request, outcome)
            asked = retry_after(outcome) if isinstance(outcome, httpx.Response) else None
            grown = _FIRST_WAIT * 2 ** (attempt - 1) * (1 + random.random())
            wait = grown if asked is None else asked
            if reason is None or attempt > self._max_retries or wait > self._max_retry_wait:
                if isinstance(outcome, MarketApiError):
                    raise outcome
                return outcome
            if isinstance(outcome, httpx.Response):
                outcome.close()
            if self._on_retry:
                self._on_retry(Retry(attempt, wait, reason))
            time.sleep(wait)

    def _attempt(self, request: httpx.Request) -> httpx.Response | MarketApiError:
        try:
            # A redirect could carry a key or a cookie to another host.
            return self._http.send(request, stream=True, follow_redirects=False)
        except httpx.TransportError as error:
            failure = MarketApiError(
                f"{self._base_url} cannot be reached ({error}).",
                status=0,
                code="unreachable",
                retryable=True,
            )
            failure.__cause__ = error
            return failure


def _reason_to_repeat(request: httpx.Request, outcome: httpx.Response | MarketApiError) -> str | None:
    """A refusal by a limit did nothing. Other failures are repeated where a second request has no second effect."""
    is_safe = request.method in _REPEATABLE or "idempotency-key" in request.headers
    if isinstance(outcome, MarketApiError):
        return outcome.message if is_safe else None
    if outcome.status_code == 429:
        return "too many requests"
    return "the service is not available" if outcome.status_code == 503 and is_safe else None


def _json_or_none(response: httpx.Response) -> Any:
    try:
        return response.json()
    except ValueError:
        return None
