import base64
import hashlib
import hmac
import json
import time
import unittest

from lamppost import NotGenuine, is_genuine_webhook, unwrap_webhook

KEY = bytes(range(24))
SECRET = "whsec_" + base64.b64encode(KEY).decode()
BODY = json.dumps({"id": "evt_1", "type": "job.done", "recipient": {"owner": "acc_1", "endpoint": "whe_1"}})


def message(signature=None, stamp=None):
    stamp = stamp or str(int(time.time()))
    proof = hmac.new(KEY, f"evt_1.{stamp}.{BODY}".encode(), hashlib.sha256).digest()
    return {
        "Webhook-Id": "evt_1",
        "webhook-timestamp": stamp,
        "webhook-signature": signature or "v1," + base64.b64encode(proof).decode(),
    }


class WebhookTest(unittest.TestCase):
    def test_takes_a_genuine_message_and_gives_its_event(self):
        self.assertEqual(unwrap_webhook(message(), BODY, SECRET)["type"], "job.done")
        recipient = {"owner": "acc_1", "endpoint": "whe_1"}
        self.assertTrue(is_genuine_webhook(message(), BODY.encode(), SECRET, recipient))
        self.assertFalse(is_genuine_webhook(message(), BODY, SECRET, {"owner": "acc_2", "endpoint": "whe_1"}))

    def test_takes_nothing_else_and_never_fails(self):
        for headers in (
            message("v1,%%%"),
            message("v1"),
            message("é"),
            message(stamp="soon"),
            message(stamp="1"),
            message(stamp="9" * 400),
            {},
        ):
            self.assertFalse(is_genuine_webhook(headers, BODY, SECRET))
        self.assertFalse(is_genuine_webhook(message(), BODY + " ", SECRET))
        with self.assertRaises(NotGenuine):
            unwrap_webhook(message(), BODY + " ", SECRET)
        with self.assertRaises(TypeError):
            is_genuine_webhook(message(), BODY, "")
