import base64
import json
import threading
import unittest
import urllib.error
import urllib.request
from datetime import datetime, timezone

from standardwebhooks import Webhook

from agent import InvalidInput, answer
from server import create_server

SECRET = "whsec_" + base64.b64encode(b"a secret for this test alone").decode()

with open("manifest.json") as file:
    EXAMPLES = json.load(file)["examples"]


class AgentTest(unittest.TestCase):
    def test_examples(self):
        for example in EXAMPLES:
            self.assertEqual(answer(example["input"]), example["output"])

    def test_refuses_an_input_that_does_not_match_the_schema(self):
        with self.assertRaises(InvalidInput):
            answer({"text": 1})

    def test_answers_signed_requests_and_refuses_others(self):
        server = create_server(SECRET, "127.0.0.1", 0)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        url = f"http://127.0.0.1:{server.server_port}/invoke"
        body = json.dumps(EXAMPLES[0]["input"])
        now = datetime.now(tz=timezone.utc)
        headers = {
            "webhook-id": "inv_1",
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": Webhook(SECRET).sign("inv_1", now, body),
        }
        signed = urllib.request.Request(url, body.encode(), headers)
        with urllib.request.urlopen(signed) as response:
            self.assertEqual(json.load(response), EXAMPLES[0]["output"])
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(urllib.request.Request(url, body.encode()))
        self.assertEqual(refused.exception.code, 401)
        refused.exception.close()


if __name__ == "__main__":
    unittest.main()
