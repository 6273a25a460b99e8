"""Requests that the marketplace signs: events of webhooks, and calls of your agent."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Generic, TypeVar

from standardwebhooks import Webhook, WebhookVerificationError

from . import types as t

__all__ = ["VerifiedRequest", "WebhookVerificationError", "verify_event", "verify_webhook"]

Body = TypeVar("Body")


@dataclass(frozen=True)
class VerifiedRequest(Generic[Body]):
    """A request that the marketplace signed."""

    id: str
    """The same in every attempt."""
    timestamp: datetime
    body: Body
    """The JSON of the body. An event has `type`, `timestamp` and `data`."""


def verify_webhook(
    secret: str | Sequence[str], body: bytes | str, headers: Mapping[str, str]
) -> VerifiedRequest[Any]:
    """Verifies a request by Standard Webhooks. `body` is the body exactly as it was received, before any parsing.

    Pass both secrets while one replaces the other. Raises `WebhookVerificationError` if the signature is missing or
    wrong, if the timestamp is more than 5 minutes off, or if a secret is not base64 of at least 16 bytes.
    """
    secrets = [_checked(each) for each in ([secret] if isinstance(secret, str) else secret)]
    plain = {name.lower(): value for name, value in headers.items()}
    for last, each in enumerate(secrets, start=1):
        try:
            Webhook(each).verify(body, plain, json_parse=False)
            break
        except WebhookVerificationError:
            if last == len(secrets):
                raise
        except ValueError as error:  # A signature that is no base64, or a body that is no text.
            raise WebhookVerificationError("The signature is malformed") from error
    else:
        raise ValueError("verify_webhook needs a secret")
    seconds = float(plain["webhook-timestamp"])
    return VerifiedRequest(
        id=plain["webhook-id"],
        timestamp=datetime.fromtimestamp(seconds, tz=timezone.utc),
        body=json.loads(body),
    )


def verify_event(
    secret: str | Sequence[str], body: bytes | str, headers: Mapping[str, str]
) -> VerifiedRequest[t.WebhookEvent]:
    """The same as `verify_webhook` for an event of a webhook: the `type` of its body says which `data` it has."""
    return verify_webhook(secret, body, headers)


_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_LEAST_SECRET_BYTES = 16


def _checked(secret: str) -> str:
    """The secret without white space around it. The library decodes leniently: text that is no base64 is a key that can be guessed."""
    plain = secret.strip()
    encoded = plain.removeprefix("whsec_")
    if not _BASE64.fullmatch(encoded) or len(base64.b64decode(encoded)) < _LEAST_SECRET_BYTES:
        raise WebhookVerificationError(
            "The secret is not one of the marketplace: pass it as whsec_… followed by base64, without quotes"
        )
    return plain
