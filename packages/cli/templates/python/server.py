"""The HTTP side of the agent.

The marketplace sends POST /invoke and signs each request with the secret of the agent (https://www.standardwebhooks.com).
Every other request is refused. TLS ends in front of this process.
"""

import json
import os
import sys
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks import Webhook, WebhookVerificationError

from agent import InvalidInput, answer


class Handler(BaseHTTPRequestHandler):
    webhook = None

    def do_GET(self):
        if self.path == "/health":
            self.send(200, {"status": "ok"})
        else:
            self.send(404, {"error": {"message": "not found"}})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path != "/invoke":
            return self.send(404, {"error": {"message": "not found"}})
        try:
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.webhook.verify(body, headers)
        except (WebhookVerificationError, ValueError):
            return self.send(401, {"error": {"message": "the signature is missing or wrong"}})
        try:
            return self.send(200, answer(json.loads(body)))
        except (InvalidInput, ValueError) as error:
            return self.send(422, {"error": {"message": str(error)}})
        except Exception:
            traceback.print_exc()
            return self.send(500, {"error": {"message": "the agent failed"}})

    def send(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def create_server(secret, host, port):
    handler = type("SignedHandler", (Handler,), {"webhook": Webhook(secret)})
    return ThreadingHTTPServer((host, port), handler)


if __name__ == "__main__":
    signing_secret = os.environ.get("MARKET_SIGNING_SECRET")
    if not signing_secret:
        sys.exit("MARKET_SIGNING_SECRET is missing: market agents show __SLUG__ --json prints it as signing_secret")
    port = int(os.environ.get("PORT", "8080"))
    print(f"listening on port {port}", flush=True)
    create_server(signing_secret, os.environ.get("HOST", "0.0.0.0"), port).serve_forever()
