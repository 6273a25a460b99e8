"""The one error that requests raise."""

from __future__ import annotations

import time
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol, Union

if TYPE_CHECKING:
    import httpx

    from . import types as t


class MarketApiError(Exception):
    """The one error of a request: an error response of the service, or no answer at all.

    Without an answer, `status` is 0, and `code` is `unreachable` (also for an answer that is cut, or that a proxy wrote) or
    `timeout`.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: Union[t.ErrorCode, Literal["unknown", "unreachable", "timeout"]],
        retryable: bool = False,
        details: list[t.FieldProblem] | None = None,
        trace_id: str | None = None,
        invocation_id: str | None = None,
        retry_after: float | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        """Status of the response."""
        self.code = code
        """Stable name of the error, such as `insufficient_credits`."""
        self.retryable = retryable
        """The same request may succeed later."""
        self.details: list[t.FieldProblem] = details or []
        """One element for each invalid field; empty unless the status is 422."""
        self.trace_id = trace_id
        """Reference for tracing and support."""
        self.invocation_id = invocation_id
        """The call that failed, if one was accepted."""
        self.retry_after = retry_after
        """What the service asked to wait, in seconds."""
        self.idempotency_key = idempotency_key
        """The key of the request, also when the client made it: the same call with it returns the answer that may have been paid."""

    def __str__(self) -> str:
        fields = "".join(f"\n  {_field(problem)}: {problem['msg']}" for problem in self.details)
        return f"{self.message} ({self.code}){fields}"


class Responded(Protocol):
    """A response, or what is left of it."""

    @property
    def status_code(self) -> int: ...

    @property
    def headers(self) -> httpx.Headers: ...


def error_of(response: Responded, body: Any, idempotency_key: str | None = None) -> MarketApiError:
    """The error of a response that is not 2xx. `body` is its JSON, or anything else."""
    fields = body if isinstance(body, dict) else {}
    error = fields.get("error")
    if not isinstance(error, dict):
        error = {}
    return MarketApiError(
        error.get("message") or f"The marketplace answered with status {response.status_code}.",
        status=response.status_code,
        code=error.get("code", "unknown"),
        retryable=error.get("retryable") is True,
        details=fields.get("detail"),
        trace_id=fields.get("trace_id") or response.headers.get("x-trace-id"),
        invocation_id=fields.get("invocation_id"),
        retry_after=retry_after(response),
        idempotency_key=idempotency_key,
    )


def retry_after(response: Responded) -> float | None:
    """`Retry-After` of a response in seconds: a number of seconds or a date. None if it is neither."""
    value = response.headers.get("retry-after", "")
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def _field(problem: t.FieldProblem) -> str:
    return ".".join(str(part) for part in problem["loc"])
