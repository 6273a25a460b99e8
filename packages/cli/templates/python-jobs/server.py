"""The HTTP side of the agent.

The marketplace sends POST /invoke and signs each request with the secret of the agent by Standard Webhooks.
Every other request is refused. A call that takes long is answered with 202, and its answer is called back.
TLS ends in front of this process.
"""

from __future__ import annotations

import json
import os
import re
import sys
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from standardwebhooks import Webhook, WebhookVerificationError

from agent import InvalidInput, read_input
from jobs import Job, Jobs


# The marketplace sends inputs of at most 10 MiB. A longer body is refused before it is read.
MOST_BODY_BYTES = 11 * 1024 * 1024
# The marketplace's secrets are base64 of 32 bytes.
SECRET_FORM = re.compile(r"whsec_(?=.{32})(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
# The id of a call names the file of its job.
CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")


class Refusal(Exception):
    """A request that is answered with a status and a reason."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Handler(BaseHTTPRequestHandler):
    webhook: Webhook
    jobs: Jobs
    # A caller that sends nothing for so long is disconnected.
    timeout = 60

    def do_GET(self) -> None:
        if self.path == "/health":
            self.send(200, {"status": "ok"})
        else:
            self.send(404, {"error": {"message": "not found"}})

    def do_POST(self) -> None:
        try:
            self.send(*self.respond())
        except Refusal as refusal:
            # What is left of the request is not read.
            self.close_connection = True
            self.send(refusal.status, {"error": {"message": str(refusal)}})
        except InvalidInput as error:
            self.send(422, {"error": {"message": str(error)}})
        except Exception:
            traceback.print_exc()
            self.send(500, {"error": {"message": "the agent failed"}})

    def respond(self) -> tuple[int, dict[str, Any]]:
        if self.path != "/invoke":
            raise Refusal(404, "not found")
        body = self.read_body()
        try:
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.webhook.verify(body, headers)
        except (WebhookVerificationError, ValueError):
            raise Refusal(401, "the signature is missing or wrong") from None
        try:
            given = json.loads(body)
        except ValueError:
            raise InvalidInput("the input is not JSON") from None
        call_id = self.headers.get("webhook-id", "")
        callback_url = self.headers.get("x-callback-url")
        if not CALL_ID.fullmatch(call_id):
            raise Refusal(400, "the id of the call is not valid")
        if callback_url is None:
            raise Refusal(400, "X-Callback-Url is missing: does the manifest declare jobs?")
        output = self.jobs.take(Job(call_id, callback_url, read_input(given)))
        return (202, {"status": "working"}) if output is None else (200, output)

    def read_body(self) -> bytes:
        length = self.headers.get("content-length", "")
        if not re.fullmatch("[0-9]{1,18}", length):
            raise Refusal(411, "the request needs a content-length")
        if int(length) > MOST_BODY_BYTES:
            raise Refusal(413, "the body is too long")
        try:
            body = self.rfile.read(int(length))
        except OSError:
            body = b""
        if len(body) < int(length):
            raise Refusal(400, "the body did not arrive")
        return body

    def send(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        try:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except OSError:
            # The caller has left.
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        pass


def create_server(secret: str, jobs: Jobs, host: str, port: int) -> ThreadingHTTPServer:
    if not SECRET_FORM.fullmatch(secret):
        raise ValueError("the signing secret is not of the form whsec_…")
    handler = type("SignedHandler", (Handler,), {"webhook": Webhook(secret), "jobs": jobs})
    return ThreadingHTTPServer((host, port), handler)


if __name__ == "__main__":
    signing_secret = os.environ.get("MARKET_SIGNING_SECRET")
    if not signing_secret:
        sys.exit("MARKET_SIGNING_SECRET is missing: market agents show __SLUG__ --json prints it as signing_secret")
    port = int(os.environ.get("PORT", "8080"))
    kept = Jobs(signing_secret, Path(os.environ.get("JOBS_FOLDER", "jobs")))
    print(f"listening on port {port}", flush=True)
    create_server(signing_secret, kept, os.environ.get("HOST", "0.0.0.0"), port).serve_forever()
