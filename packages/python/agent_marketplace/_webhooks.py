"""Requests that the marketplace signs: events of webhooks, and calls of your agent."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from time import time as _now
from typing import Any, Generic, Protocol, TypeVar

from standardwebhooks import Webhook, WebhookVerificationError

from . import types as t

__all__ = ["VerifiedRequest", "WebhookVerificationError", "verify_event", "verify_webhook"]

Body = TypeVar("Body")


class Headers(Protocol):
    """The headers of a request: a mapping, or what a server has, such as `self.headers` of `http.server`."""

    def items(self) -> Iterable[tuple[str, str]]: ...


@dataclass(frozen=True)
class VerifiedRequest(Generic[Body]):
    """A request that the marketplace signed."""

    id: str
    """The same in every attempt."""
    timestamp: datetime
    body: Body
    """The JSON of the body. An event has `type`, `timestamp` and `data`."""


def verify_webhook(
    secret: str | Sequence[str], body: bytes | str, headers: Headers
) -> VerifiedRequest[Any]:
    """Verifies a request by Standard Webhooks. `body` is the body exactly as it was received, before any parsing.

    `secret` is the secret (`whsec_…`) or the public key of a webhook (`whpk_…`), which needs the package `cryptography`
    (`agent-marketplace-client[ed25519]`). Pass both while one replaces the other. Raises `WebhookVerificationError` if the signature is missing or
    wrong, if the timestamp is more than 5 minutes off, or if a secret is not base64 of at least 16 bytes.
    """
    secrets = [_checked(each) for each in ([secret] if isinstance(secret, str) else secret)]
    plain = {name.lower(): value for name, value in headers.items()}
    for last, each in enumerate(secrets, start=1):
        try:
            _verify(each, body, plain)
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
    secret: str | Sequence[str], body: bytes | str, headers: Headers
) -> VerifiedRequest[t.WebhookEvent]:
    """The same as `verify_webhook` for an event of a webhook: the `type` of its body says which `data` it has."""
    return verify_webhook(secret, body, headers)


def _verify(secret: str, body: bytes | str, headers: dict[str, str]) -> None:
    """Checks the signatures of one kind: v1 with a secret, v1a with a public key."""
    if not secret.startswith("whpk_"):
        Webhook(secret).verify(body, headers, json_parse=False)
        return
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(secret.removeprefix("whpk_")))
    time, id, given = (headers.get(f"webhook-{name}", "") for name in ("timestamp", "id", "signature"))
    if not time.isascii() or not time.isdecimal() or abs(_now() - int(time)) > _TOLERANCE_SECONDS:
        raise WebhookVerificationError("The timestamp is missing, or too far from the time of this machine")
    signed = f"{id}.{time}.".encode() + (body.encode() if isinstance(body, str) else body)
    for part in given.split(" "):
        if not part.startswith("v1a,"):
            continue
        try:
            key.verify(base64.b64decode(part[4:], validate=True), signed)
            return
        except InvalidSignature:
            continue
    raise WebhookVerificationError("No matching signature found")


_TOLERANCE_SECONDS = 300
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_LEAST_SECRET_BYTES = 16
_PUBLIC_KEY_BYTES = 32


def _checked(secret: str) -> str:
    """The secret without white space around it. The library decodes leniently: text that is no base64 is a key that can be guessed."""
    plain = secret.strip()
    is_public = plain.startswith("whpk_")
    encoded = plain.removeprefix("whpk_" if is_public else "whsec_")
    size = len(base64.b64decode(encoded)) if _BASE64.fullmatch(encoded) else 0
    if size != _PUBLIC_KEY_BYTES if is_public else size < _LEAST_SECRET_BYTES:
        raise WebhookVerificationError(
            "The secret is not one of the marketplace: pass it as whsec_… or whpk_… followed by base64, without quotes"
        )
    return plain
