"""Sources, options, answers, connections, budgets in files, and event loops."""

import asyncio
import base64
import io
import json
import pathlib
import tempfile
import threading
import time
import unittest
from http.server import ThreadingHTTPServer

from lamppost import AsyncLamppost, Budget, BudgetExceeded, CallError, Lamppost, NoAnswer
from test_ways_on import JOB, PAID, Stand, page, said, silence

PNG = b"\x89PNG-and-more"
MODELS = {"textModels": [{"id": "words", "default": True, "inputUsdPerMtok": "1", "outputUsdPerMtok": "1"}]}
OFFER = {
    "scheme": "exact",
    "network": "eip155:8453",
    "amount": "300000",
    "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bDA02913",
    "payTo": "0x" + "2" * 40,
    "maxTimeoutSeconds": 60,
}


class Kept(Stand):
    """The same, with connections that stay open."""

    protocol_version = "HTTP/1.1"
    connections = 0
    headers_seen: list = []

    def setup(self):
        Kept.connections += 1
        super().setup()

    def serve(self):
        Kept.headers_seen.append((self.path, dict(self.headers.items())))
        super().serve()

    do_GET = do_POST = do_DELETE = do_PATCH = serve


class Form(Kept):
    """The same, for bodies that are no JSON."""

    def serve(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        Stand.bodies.append((self.path, self.headers.get("content-type"), body))
        Stand.replies.pop(0)(self)

    do_GET = do_POST = serve


class Signer:
    address = "0x" + "1" * 40

    def sign_typed_data(self, domain_data, message_types, message_data):
        return "0x" + "3" * 130


def events(*all):
    lines = "".join(f"data: {json.dumps(one)}\n\n" for one in all)
    return page(200, f"{lines}data: [DONE]\n\n".encode(), "text/event-stream", PAID)


class WholeTest(unittest.TestCase):
    def setUp(self):
        Stand.marks, Stand.bodies, Kept.connections, Kept.headers_seen = [], [], 0, []
        self.serve(Kept)

    def serve(self, handler):
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.daemon_threads = True
        server.handle_error = lambda *_: None  # A client that has left is no error.
        server.block_on_close = False
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_port}"

    def client(self, kind=Lamppost, **more):
        return kind(self.url, **{"key": "lp_1", "tries": 1, **more})

    def chat_with(self, **more):
        answer = {"choices": [{"message": {"content": "Hi."}, "finish_reason": "length"}], "usage": {}}
        return said(answer, {**PAID, "x-request-id": "req_1", **more})

    def test_refuses_a_misspelt_option_of_each_call(self):
        client = self.client()
        calls = {
            "Did you mean duration": lambda: client.start("x", duratoin=8),
            "Did you mean model": lambda: client.image("x", modle="y"),
            "Did you mean max_tokens": lambda: client.chat("x", maxTokens=5),
            "Did you mean idempotency_key": lambda: next(client.stream("x", idempotency_kye="y")),
            "Did you mean image_size": lambda: client.quote(model="x", imag_size="1x1"),
            "Did you mean timeout": lambda: client.jobs.get("x", timeuot=5),
            "Did you mean tools": lambda: client.completions.create([], tolls=[]),
            "Did you mean voice": lambda: client.audio.speak("x", vioce="y"),
            "Did you mean budget": lambda: self.client(budgte=Budget(total=1)),
            "takes no option 'quote_id'": lambda: next(client.stream("x", quote_id="y")),
        }
        for message, call in calls.items():
            with self.subTest(message=message), self.assertRaisesRegex(TypeError, message):
                call()
        self.assertEqual(Stand.bodies, [])

    def test_says_why_an_answer_ended_and_which_request_it_was(self):
        Stand.replies = [self.chat_with(), said(MODELS, {"x-request-id": "req_2"})]
        client = self.client()
        with client.with_response() as seen:
            answer = client.chat("Hello.")
        self.assertEqual((answer.finish_reason, answer.request_id), ("length", "req_1"))
        self.assertEqual((seen.request_id, seen.status, seen.headers["x-charge-id"]), ("req_1", 200, "ch_1"))
        with client.with_response() as seen:
            client.models()
        self.assertEqual(seen.request_id, "req_2")
        Stand.replies = [
            events(
                {"choices": [{"delta": {"content": "Hi."}}]},
                {"choices": [{"delta": {}, "finish_reason": "stop"}]},
                {"charge": {"id": "ch_1", "priceMicro": 5}},
            )
        ]
        self.assertEqual([piece.finish_reason for piece in client.stream("Hello.")], [None, "stop"])

    def test_sends_its_headers_to_the_service_and_to_no_other(self):
        Stand.replies = [said({"status": "done", "url": f"{self.url}/made"}, PAID), page(200, PNG, "image/png")]
        client = self.client(headers={"X-Gateway": "ours", "X-Api-Key": "lp_other"})
        client.image("a fox").bytes()
        (_, paid), (_, file) = Kept.headers_seen
        self.assertEqual((paid["X-Gateway"], paid["x-api-key"]), ("ours", "lp_1"))
        self.assertFalse({"x-gateway", "x-api-key"} & {name.lower() for name in file})

    def test_follows_a_file_to_another_address_but_no_call(self):
        moved = page(302, b"", headers={"location": "/elsewhere"})
        Stand.replies = [said({"status": "done", "url": f"{self.url}/made"}, PAID), moved, page(200, PNG, "image/png")]
        self.assertEqual(self.client().image("a fox").bytes(), PNG)
        self.assertEqual(Kept.headers_seen[-1][0], "/elsewhere")
        local = page(302, b"", headers={"location": "file:///etc/passwd"})
        Stand.replies = [said({"status": "done", "url": f"{self.url}/made"}, PAID), local]
        with self.assertRaises(NoAnswer):
            self.client().image("a fox").bytes()

    def test_uses_a_connection_again_unless_its_server_has_closed_it(self):
        Stand.replies = [said(MODELS)]
        client = self.client()
        for _ in range(5):
            client.models()
        self.assertEqual(Kept.connections, 1)
        closing = said(MODELS)

        def close(stand):
            closing(stand)
            stand.close_connection = True

        Stand.replies = [close]
        for _ in range(3):
            client.models()
            time.sleep(0.05)
        self.assertEqual(Kept.connections, 3)

    def test_limits_one_try_and_a_whole_call(self):
        Stand.replies = [lambda stand: time.sleep(2)]
        began = time.monotonic()
        with self.assertRaises(NoAnswer):
            self.client().chat("Hello.", timeout=0.2)
        Stand.replies = [said({**JOB, "chargeState": "charged"})]
        with self.assertRaises(NoAnswer) as ended:
            self.client(tries=None).jobs.wait("job_1", time_limit=0.3)
        self.assertEqual(ended.exception.job_id, "job_1")
        Stand.replies = [silence]
        with self.assertRaises(NoAnswer):
            self.client(tries=None).chat("Hello.", time_limit=0.3)
        self.assertLess(time.monotonic() - began, 3)

    def test_takes_files_paths_and_addresses_at_any_port(self):
        done = said({"status": "done", "url": f"{self.url}/made"}, PAID)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "fox.png"
            path.write_bytes(PNG)
            for source in (str(path), path, io.BytesIO(PNG), PNG):
                Stand.replies = [done]
                self.client().image("a fox", image=source)
        Stand.replies = [page(200, PNG, "image/png"), done]
        self.client().image("a fox", image=f"{self.url}/fox.png")
        data = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
        self.assertEqual([body["image"] for body in Stand.bodies], [data] * 5)
        Stand.bodies, Stand.replies = [], [done]
        self.client().image("a fox", sources=["https://pictures.example/fox.png"])
        self.assertEqual(Stand.bodies[0]["sources"], ["https://pictures.example/fox.png"])
        with self.assertRaises(FileNotFoundError):
            self.client().image("a fox", image="no-such.png")

    def test_signs_one_payment_for_threads_with_one_key(self):
        required = base64.b64encode(json.dumps({"accepts": [OFFER], "resource": {}}).encode()).decode()
        both = threading.Barrier(2, timeout=1)
        nonces = []

        def answer(stand):
            payment = stand.headers.get("PAYMENT-SIGNATURE")
            if payment is not None:
                nonces.append(json.loads(base64.b64decode(payment))["payload"]["authorization"]["nonce"])
                return self.chat_with()(stand)
            try:
                both.wait()  # Without a lock, both threads ask for the price before one of them signs.
            except threading.BrokenBarrierError:
                pass
            return said({"error": {"code": "PAYMENT_REQUIRED"}}, {"payment-required": required}, 402)(stand)

        Stand.replies = [answer]
        client = Lamppost(self.url, wallet=Signer(), tries=1, budget=Budget(total=1))
        threads = [threading.Thread(target=client.chat, args=("Hi.",), kwargs={"idempotency_key": "one"}) for _ in "ab"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        client.chat("Hi.", idempotency_key="one")  # And a later repetition sends the same payment.
        self.assertEqual((len(nonces), len(set(nonces))), (3, 1))
        self.assertEqual(client.budget.state().spent_micro, 300_000)

        both.reset()
        nonces.clear()

        async def twice():
            client = AsyncLamppost(self.url, wallet=Signer(), tries=1)
            await asyncio.gather(*(client.chat("Hi.", idempotency_key="two") for _ in "ab"))

        asyncio.run(twice())
        self.assertEqual((len(nonces), len(set(nonces))), (2, 1))

    def test_keeps_a_budget_in_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "budget.jsonl"
            # As the TypeScript package writes it, with a line of a program that died.
            file.write_text('\n{"type":"reserve","id":"a","micro":5,"total":9}\n\n{"type":"conf')
            one, other = Budget(total=0.000_009, file=file), Budget(total=0.000_009, file=str(file))
            self.assertEqual(one.state().reserved_micro, 5)
            one.reserve("b", 4).confirm(3)
            self.assertEqual((other.state().spent_micro, other.state().left_micro), (3, 1))
            with self.assertRaises(BudgetExceeded):
                other.reserve("c", 2)
            found = other.find("a")
            found.release()
            self.assertEqual(one.state().left_micro, 6)
            other.spend("d", 2)
            self.assertEqual([one.state().spent_micro for _ in "ab"], [5, 5])
            file.write_text('{"type":"gift","micro":5}\n')
            with self.assertRaisesRegex(ValueError, "none of a budget"):
                Budget(total=1, file=file).state()

    def test_talks_with_tools(self):
        call = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
        message = {"role": "assistant", "tool_calls": [call]}
        Stand.replies = [said({"choices": [{"message": message, "finish_reason": "tool_calls"}]}, PAID)]
        tools = [{"type": "function", "function": {"name": "weather"}}]
        question = [{"role": "user", "content": "Rain?"}]
        made = self.client().completions.create(question, tools=tools, reasoning_effort="low", max_price_micro=9)
        self.assertEqual((made.message, made.charge.micro), (message, 5))
        self.assertEqual(
            Stand.bodies[0], {"messages": question, "tools": tools, "reasoning_effort": "low", "maxPriceMicro": 9}
        )
        piece = {"choices": [{"delta": {"tool_calls": [{"index": 0, **call}]}}]}
        Stand.replies = [events(piece, {"charge": {"id": "ch_1", "priceMicro": 5}})]
        pieces = list(self.client().completions.stream(question, tools=tools))
        self.assertEqual(pieces[0].delta["tool_calls"][0]["id"], "call_1")
        self.assertEqual(pieces[-1].charge.micro, 5)

    def test_counts_a_conversation_with_the_most_that_it_can_cost(self):
        budget = Budget(total=1)
        Stand.replies = [said(MODELS), silence]
        image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 100_000}}
        with self.assertRaises(NoAnswer):
            client = self.client(budget=budget)
            client.completions.create([{"role": "user", "content": [image]}], max_tokens=100)
        self.assertTrue(20_100 < budget.state().reserved_micro < 21_000, budget.state())

    def test_counts_a_conversation_at_its_dearest_rates(self):
        step = {"tokens": 50, "inputUsdPerMtok": "2", "outputUsdPerMtok": "3"}
        rates = {"inputUsdPerMtok": "1", "outputUsdPerMtok": "1", "cacheWriteUsdPerMtok": "4"}
        model = {"id": "words", "aliases": ["w"], **rates, "maxOutputTokens": 5_000, "above": [step]}
        dear = {"id": "dear", "inputUsdPerMtok": "900", "outputUsdPerMtok": "900"}
        budget = Budget(total=1)
        Stand.replies = [said({"textModels": [model, dear]}), silence]
        with self.assertRaises(NoAnswer):
            self.client(budget=budget).completions.create([{"role": "user", "content": "x" * 100}], model="w")
        reserved = budget.state().reserved_micro
        self.assertTrue(15_000 + 400 < reserved < 15_000 + 1_000, reserved)

    def test_speaks_and_listens(self):
        self.serve(Form)
        Stand.replies = [page(200, b"ID3", "audio/mpeg", PAID), said({"text": "Hi."}, PAID)]
        client = self.client()
        speech = client.audio.speak("Hi.", voice="alloy", format="wav")
        self.assertEqual((speech.bytes(), speech.content, speech.charge.micro), (b"ID3", b"ID3", 5))
        said_as = json.loads(Stand.bodies[0][2])
        self.assertEqual((said_as["voice"], said_as["response_format"]), ("alloy", "wav"))
        transcript = client.audio.transcribe(b"ID3", language="en")
        self.assertEqual((transcript.text, transcript.charge.id), ("Hi.", "ch_1"))
        _, kind, body = Stand.bodies[1]
        self.assertRegex(kind, "^multipart/form-data; boundary=")
        self.assertIn(b'name="language"\r\n\r\nen\r\n', body)
        self.assertIn(b'name="file"; filename="sound"\r\n\r\nID3\r\n', body)
        with self.assertRaisesRegex(TypeError, "cannot be paid per call"):
            Lamppost(self.url, wallet=Signer()).audio.transcribe(b"ID3")
        Stand.replies = [page(200, b"ID3 from afar", "audio/mpeg"), said({"text": "Hi."}, PAID)]
        self.assertEqual(client.audio.transcribe(f"{self.url}/sound.mp3").text, "Hi.")
        self.assertIn(b'name="file"; filename="sound.mp3"\r\n\r\nID3 from afar\r\n', Stand.bodies[-1][2])

    def test_speaks_in_an_event_loop_as_it_does_outside(self):
        Stand.replies = [page(200, b"ID3", "audio/mpeg", PAID)]

        async def speak(path):
            async with self.client(AsyncLamppost) as client:
                speech = await client.audio.speak("Hi.")
                await speech.save(path)
                return await speech.bytes()

        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "hi.mp3"
            self.assertEqual((asyncio.run(speak(path)), path.read_bytes()), (b"ID3", b"ID3"))

    def test_runs_batches_within_its_budget(self):
        self.serve(Form)
        line = json.dumps({"custom_id": "first", "response": {"body": {}}, "error": None})
        ended = {"id": "batch_1", "status": "completed", "output_file_id": "file_2", "error_file_id": None, "request_counts": {}}
        Stand.replies = [said(MODELS), said({"id": "file_1"}), said({**ended, "status": "validating"})]
        budget = Budget(total=0.01)
        client = self.client(budget=budget)
        calls = {"first": {"messages": [], "max_tokens": 50}, "second": {"messages": [], "maxPriceMicro": 70}}
        self.assertEqual(client.batches.create(calls)["id"], "batch_1")
        self.assertIn(b'"custom_id": "first"', Stand.bodies[1][2])
        spent = budget.state().spent_micro
        self.assertTrue(120 < spent < 300, spent)
        Stand.replies = [said({**ended, "status": "in_progress"}), said(ended), said(ended), page(200, line.encode(), "application/jsonl")]
        self.assertEqual(client.batches.wait("batch_1")["status"], "completed")
        self.assertEqual(client.batches.results("batch_1")["first"]["error"], None)
        Stand.bodies, Stand.replies = [], [said(MODELS)]
        with self.assertRaises(BudgetExceeded):
            client.batches.create({"first": {"messages": [], "max_tokens": 50_000}})
        self.assertEqual(len([body for path, _, body in Stand.bodies if path == "/v1/files"]), 0)

    def test_makes_one_batch_by_one_key_and_counts_it_once(self):
        self.serve(Form)
        batch = {"id": "batch_1", "request_counts": {}}
        budget = Budget(total=0.01)
        client = self.client(budget=budget, tries=1)
        calls = {"first": {"messages": [], "maxPriceMicro": 70}}
        key = None
        # No answer, the JSON of another server, and no answer to the upload.
        for lost in ([said({"id": "file_1"}), silence], [said({})], [said({"id": "file_1"}), said({"id": 1})]):
            Stand.replies = list(lost)
            with self.assertRaises(NoAnswer) as raised:
                client.batches.create(calls, idempotency_key=key and "a mark")
            key = key or raised.exception.idempotency_key
        self.assertEqual(raised.exception.idempotency_key, "a mark")
        self.assertEqual((budget.state().spent_micro, budget.state().reserved_micro), (0, 140))
        for replayed in ({}, {"idempotent-replayed": "true"}):
            Stand.replies = [said({"id": "file_1"}), said(batch, replayed)]
            self.assertEqual(client.batches.create(calls, idempotency_key=key), batch)
        self.assertEqual((budget.state().spent_micro, budget.state().reserved_micro), (70, 70))

    def test_manages_the_keys_of_an_account_by_its_session(self):
        Stand.replies = [said({"id": "key_1", "key": "lp_new"}), said({"keys": [{"id": "key_1"}], "nextCursor": None})]
        account = Lamppost(self.url, session="session=abc", tries=1)
        self.assertEqual(account.keys.create(name="a bot", spend_limit_micro=5)["key"], "lp_new")
        self.assertEqual(Stand.bodies, [{"name": "a bot", "spendLimitMicro": 5}])
        self.assertEqual([key["id"] for key in account.keys.list()], ["key_1"])
        headers = Kept.headers_seen[0][1]
        self.assertEqual((headers["cookie"], headers["origin"]), ("session=abc", self.url))

    def test_does_many_things_at_once_in_an_event_loop(self):
        slow = self.chat_with()

        def answer(stand):
            time.sleep(0.3)
            slow(stand)

        async def work():
            client = self.client(AsyncLamppost, budget=Budget())
            began = time.monotonic()
            answers = await asyncio.gather(*(client.chat("Hello.") for _ in range(10)))
            self.assertLess(time.monotonic() - began, 2)
            self.assertEqual(client.budget.state().spent_micro, 50)
            Stand.replies = [said({"status": "done", "url": f"{self.url}/made"}, PAID), page(200, PNG, "image/png")]
            self.assertEqual(await (await client.image("a fox")).bytes(), PNG)
            Stand.replies = [said({"jobs": [{"id": "job_1"}], "nextCursor": None})]
            self.assertEqual([job["id"] async for job in client.jobs.list()], ["job_1"])
            with client.with_response() as seen:
                Stand.replies = [slow]
                await client.chat("Hello.")
            self.assertEqual(seen.request_id, "req_1")
            return [one.text for one in answers]

        Stand.replies = [answer]
        self.assertEqual(asyncio.run(work()), ["Hi."] * 10)

    def test_cancels_the_film_of_a_cancelled_task_at_once(self):
        cancelled = []

        def answer(stand):
            if stand.path.endswith("/cancel"):
                cancelled.append(stand.path)
                return said({"id": "job_1"})(stand)
            if stand.command == "POST":
                return said(JOB, PAID)(stand)
            time.sleep(3)
            return said({**JOB, "chargeState": "charged"})(stand)

        async def work():
            film = asyncio.ensure_future(self.client(AsyncLamppost).video("waves"))
            await asyncio.sleep(0.3)
            film.cancel()
            began = time.monotonic()
            with self.assertRaises(asyncio.CancelledError):
                await film
            return time.monotonic() - began

        Stand.replies = [answer]
        self.assertLess(asyncio.run(work()), 1)
        self.assertEqual(cancelled, ["/v1/agent/jobs/job_1/cancel"])

    def test_takes_the_cost_of_a_stream_that_a_task_left(self):
        def answer(stand):
            if stand.command == "GET":
                return said({"state": "charged", "priceMicro": 3} if "charges" in stand.path else MODELS)(stand)
            piece = json.dumps({"choices": [{"delta": {"content": "Hi."}}]})
            return page(200, f"data: {piece}\n\n".encode() * 2, "text/event-stream", PAID)(stand)

        async def work():
            budget = Budget(total=1)
            async for _ in (stream := self.client(AsyncLamppost, budget=budget).stream("Hello.")):
                await stream.aclose()
            return budget.state()

        Stand.replies = [answer]
        state = asyncio.run(work())
        self.assertEqual((state.spent_micro, state.reserved_micro), (3, 0))

    def test_each_error_in_an_event_loop_has_its_way_on(self):
        refused = said({"error": {"code": "KEY_EXPIRED", "message": "Over."}}, {}, 401)
        Stand.replies = [said(JOB, PAID), refused]
        with self.assertRaises(CallError) as failed:
            asyncio.run(self.client(AsyncLamppost).video("waves"))
        self.assertEqual((failed.exception.job_id, failed.exception.charge_id), ("job_1", "ch_1"))


if __name__ == "__main__":
    unittest.main()
