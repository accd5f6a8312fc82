import base64
import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest import mock

from lamppost import Budget, BudgetExceeded, Lamppost, LamppostError, NoAnswer, _per_call

PRICE = 300_000
CALLS = 20


class Keeper(BaseHTTPRequestHandler):
    """A service that keeps every signed payment, whatever it says of it."""

    kept: list = []
    says: tuple = ()
    offer: dict = {}

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length", 0)))
        payment = self.headers.get("PAYMENT-SIGNATURE")
        if payment is None:
            offer = {
                "scheme": "exact",
                "network": "eip155:8453",
                "amount": str(PRICE),
                "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bDA02913",
                "payTo": "0x" + "2" * 40,
                "maxTimeoutSeconds": 60,
                **type(self).offer,
            }
            required = base64.b64encode(json.dumps({"accepts": [offer], "resource": {}}).encode()).decode()
            self.answer(402, {"error": {"code": "PAYMENT_REQUIRED", "message": "Pay."}}, {"payment-required": required})
            return
        type(self).kept.append(json.loads(base64.b64decode(payment)))
        self.answer(*type(self).says)

    def answer(self, status, body, headers):
        content = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {**headers, "content-length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


class Signer:
    address = "0x" + "1" * 40

    def sign_typed_data(self, domain_data, message_types, message_data):
        return "0x" + "3" * 130


class BudgetTest(unittest.TestCase):
    def setUp(self):
        Keeper.kept = []
        Keeper.says = (402, {"error": {"code": "INVALID_PAYMENT", "message": "Not taken."}}, {})
        Keeper.offer = {}
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Keeper)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()

    def client(self, **more):
        return Lamppost(self.url, wallet=Signer(), tries=1, **more)

    def test_keeps_an_unresolved_payment_whatever_is_paid_after_it(self):
        client = self.client(budget=Budget(total=10))
        with mock.patch.object(_per_call, "KEPT_MAX", 2):
            Keeper.says = (502, {"error": {"code": "PROVIDER_ERROR"}}, {})
            with self.assertRaises(LamppostError):
                client.chat("Hello.", idempotency_key="lost")
            Keeper.says = (200, {"choices": [{"message": {"content": "Hi."}}]}, {})
            for turn in range(4):
                client.chat("Hello.", idempotency_key=f"paid-{turn}")
            client.chat("Hello.", idempotency_key="lost")
        nonces = [one["payload"]["authorization"]["nonce"] for one in Keeper.kept]
        self.assertEqual((len(nonces), nonces[0]), (6, nonces[-1]))

    def test_holds_whatever_a_service_answers(self):
        answers = [
            (402, {"error": {"code": "INVALID_PAYMENT"}}, {}),
            (400, {"error": {"code": "INVALID_REQUEST"}}, {"x-charge-state": "none"}),
            (502, {"error": {"code": "PROVIDER_ERROR"}}, {"x-charge-state": "refunded"}),
            (200, {"choices": []}, {"x-charge-micro": "abc"}),
            (200, {"choices": []}, {"x-charge-micro": "-5"}),
        ]
        for says in answers:
            with self.subTest(says=says):
                Keeper.kept = []
                Keeper.says = says
                client = self.client(budget=Budget(total=1))
                refused = 0
                for _ in range(CALLS):
                    try:
                        client.chat("Hello.")
                    except BudgetExceeded:
                        refused += 1
                    except LamppostError:
                        pass
                self.assertEqual((len(Keeper.kept), refused), (3, CALLS - 3))
                state = client.budget.state()
                self.assertEqual(state.spent_micro + state.reserved_micro, 3 * PRICE)

    def test_holds_for_threads_that_share_it(self):
        client = self.client(budget=Budget(total=1))

        def call():
            try:
                client.chat("Hello.")
            except (LamppostError, BudgetExceeded):
                pass

        threads = [threading.Thread(target=call) for _ in range(CALLS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(Keeper.kept), 3)

    def test_signs_for_the_least_of_all_limits_and_for_minutes(self):
        for budget, limit in ((Budget(per_call=5), PRICE - 1), (Budget(per_call=0.2), 5_000_000)):
            with self.assertRaises(BudgetExceeded):
                self.client(budget=budget).chat("Hello.", max_price_micro=limit)
        Keeper.offer = {"amount": "1000001"}
        with self.assertRaises(BudgetExceeded):
            self.client().chat("Hello.")
        other = "0x" + "9" * 40
        for offer in (
            {"network": "eip155:137", "asset": "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"},
            {"network": "eip155:08453"},
            {"asset": other},
        ):
            Keeper.offer = offer
            with self.assertRaisesRegex(LamppostError, "Nothing was signed"):
                self.client(networks=["eip155:8453", "eip155:84532"]).chat("Hello.")
        for offer in ({"maxTimeoutSeconds": 1e9}, {"amount": "-1"}, {"asset": "0x" + "9" * 40}, {"amount": None}):
            Keeper.offer = offer
            with self.assertRaisesRegex(LamppostError, "Nothing was signed"):
                self.client().chat("Hello.")
        self.assertEqual(Keeper.kept, [])

    def test_signs_on_the_networks_of_its_options_for_tokens_that_are_known_there(self):
        other = "0x" + "9" * 40
        for offer, options in (
            (
                {"network": "eip155:137", "asset": "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"},
                {"networks": ["eip155:137"]},
            ),
            ({"network": "eip155:999", "asset": other}, {"assets": [{"network": "eip155:999", "asset": other}]}),
            ({"network": "eip155:999", "asset": other}, {"networks": ["eip155:999"], "assets": [other]}),
        ):
            Keeper.kept, Keeper.offer = [], offer
            with self.assertRaises(LamppostError):
                self.client(**options).chat("Hello.")
            self.assertEqual([one["accepted"]["network"] for one in Keeper.kept], [offer["network"]])
        for options in (
            {"networks": ["eip155:999"]},
            {"networks": ["polygon"]},
            {"networks": []},
            {"networks": "eip155:137"},
            {"assets": ["USDT"]},
            {"pay": "card"},
            {"pay": "balance"},
        ):
            with self.assertRaises(TypeError):
                self.client(**options)
        with self.assertRaises(TypeError):
            Lamppost(self.url, key="lp_1", networks=["eip155:137"])

    def test_takes_one_cost_of_a_stream_however_many_are_reported(self):
        answers = [
            {"textModels": [{"id": "words", "default": True, "inputUsdPerMtok": "9", "outputUsdPerMtok": "9"}]},
            "".join(f'data: {{"charge": {{"id": "ch_1", "priceMicro": {micro}}}}}\n\n' for micro in (5, 7, 9)),
        ]

        def answer(handler):
            handler.rfile.read(int(handler.headers.get("content-length", 0)))
            said = answers.pop(0)
            content = (said + "data: [DONE]\n\n" if isinstance(said, str) else json.dumps(said)).encode()
            handler.send_response(200)
            handler.send_header("content-length", str(len(content)))
            handler.end_headers()
            handler.wfile.write(content)

        original, Keeper.do_POST, Keeper.do_GET = Keeper.do_POST, answer, answer
        self.addCleanup(setattr, Keeper, "do_POST", original)
        self.addCleanup(delattr, Keeper, "do_GET")
        client = Lamppost(self.url, key="lp_1", tries=1, budget=Budget(total=1))
        costs = [piece.charge.micro for piece in client.stream("Hello.") if piece.charge]
        self.assertEqual((set(costs), client.budget.state().spent_micro), ({5}, 5))

    def test_says_which_answer_is_that_of_another_server(self):
        for status, content, headers, said in (
            (404, b"<html>", {}, "answered 404, but not as a Lamppost service does"),
            (404, b'{"error": null}', {}, "answered 404, but not as a Lamppost service does"),
            (400, b'{"error": {"code": 5, "message": 7}}', {}, "answered 400, but not"),
            (308, b"", {"location": "https://other.example/"}, "redirects to https://other.example/"),
            (200, b"<html>", {"content-type": "text/html"}, "it answered with text/html instead of JSON"),
        ):
            def do_GET(handler, status=status, content=content, headers=headers):
                handler.send_response(status)
                for name, value in {**headers, "content-length": str(len(content))}.items():
                    handler.send_header(name, value)
                handler.end_headers()
                handler.wfile.write(content)

            Keeper.do_GET = do_GET
            with self.subTest(said=said), self.assertRaisesRegex((LamppostError, NoAnswer), said):
                Lamppost(self.url, tries=1).models()
        del Keeper.do_GET

    def test_says_what_is_wrong(self):
        with self.assertRaisesRegex(TypeError, "begin with lp_"):
            Lamppost(self.url, key="sk-123")
        with self.assertRaises(TypeError):
            Lamppost(self.url, apiKey="lp_1")
        with self.assertRaisesRegex(NoAnswer, "could not be reached"):
            Lamppost("http://127.0.0.1:1", tries=1).models()
        with self.assertRaises(ValueError):
            self.client(budget=Budget(per_call=10_000)).top_up(5_000)
        self.assertNotIn("lp_secret", repr(Lamppost(self.url, key="lp_secret")))

    def test_counts_a_call_whose_answer_was_lost_whatever_follows(self):
        answers = [
            lambda handler: handler.answer(200, {"priceMicro": PRICE}, {}),
            lambda handler: handler.connection.close(),
            lambda handler: handler.answer(
                429, {"error": {"code": "RATE_LIMITED"}}, {"x-charge-state": "none", "retry-after": "3600"}
            ),
        ]

        def do_POST(handler):
            handler.rfile.read(int(handler.headers.get("content-length", 0)))
            answers.pop(0)(handler)

        original, Keeper.do_POST = Keeper.do_POST, do_POST
        self.addCleanup(setattr, Keeper, "do_POST", original)
        client = Lamppost(self.url, key="lp_1", tries=2, budget=Budget(total=1))
        with self.assertRaisesRegex(LamppostError, "429"):
            client.chat("Hello.")
        self.assertEqual(client.budget.state().reserved_micro, PRICE)
