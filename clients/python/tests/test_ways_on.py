"""Each row of the table under "When it fails" on the page of the package."""

import contextlib
import io
import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest import mock

from lamppost import Budget, BudgetExceeded, CallError, JobFailed, Lamppost, LamppostError, NoAnswer, _io, _payers, _sender, _texts

PAID = {"x-charge-id": "ch_1", "x-charge-micro": "5"}
JOB = {"status": "running", "jobId": "job_1"}
MARK = r"^[\w-]{36}$"


def page(status, content=b"<html>", kind="text/html", headers={}):
    return lambda stand: stand.answer(status, content, {"content-type": kind, **headers})


def said(body, headers={}, status=200):
    return page(status, json.dumps(body).encode(), "application/json", headers)


def silence(stand):
    stand.close_connection = True
    stand.connection.close()


class Stand(BaseHTTPRequestHandler):
    """A service, or a stranger, that answers as a test demands; the last reply repeats."""

    replies: list = []
    marks: list = []
    bodies: list = []

    def serve(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.command == "POST":
            Stand.marks.append(self.headers.get("Idempotency-Key"))
            is_form = "form" in self.headers.get("content-type", "")
            Stand.bodies.append(body if is_form else json.loads(body or b"null"))
        replies = Stand.replies
        (replies.pop(0) if len(replies) > 1 else replies[0])(self)

    do_GET = do_POST = serve

    def answer(self, status, content, headers):
        self.send_response(status)
        for name, value in {**headers, "content-length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


class Clock:
    """Time that passes only while the client sleeps."""

    def __init__(self):
        self.now = 1_000.0

    def monotonic(self):
        return self.now

    def time(self):
        return self.now

    def sleep(self, seconds):
        self.now += max(seconds, 0.001)

    @contextlib.contextmanager
    def running(self):
        with mock.patch.object(_sender, "time", self), mock.patch.object(_io, "time", self):
            yield


class WaysOnTest(unittest.TestCase):
    def setUp(self):
        Stand.marks, Stand.bodies = [], []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Stand)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()

    def client(self, **more):
        return Lamppost(self.url, **{"key": "lp_1", "tries": 1, **more})

    def failure(self, call):
        try:
            call()
        except Exception as error:
            return error
        return self.fail("It went well.")

    def film(self, *replies, client=None):
        Stand.replies = list(replies)
        return self.failure(lambda: (client or self.client()).video("waves"))

    def test_before_the_request_nothing_was_paid(self):
        error = self.film(said({"priceMicro": 900_000}), client=self.client(budget=Budget(per_call=0.1)))
        self.assertIsInstance(error, BudgetExceeded)
        self.assertEqual([body.get("dryRun") for body in Stand.bodies], [True])
        self.assertIsInstance(self.failure(lambda: self.client().quote(model="x", duratoin=8)), TypeError)

    def test_sent_without_an_answer_it_has_the_key(self):
        done = said({"status": "done", "url": f"{self.url}/made"}, PAID)
        error = self.film(silence, done)
        made = self.client().video("waves", idempotency_key=error.idempotency_key)
        self.assertIsInstance(error, NoAnswer)
        self.assertIn(error.idempotency_key, str(error))
        self.assertEqual((made.charge.id, set(Stand.marks)), ("ch_1", {error.idempotency_key}))

    def test_answered_by_a_stranger_it_has_the_key_and_is_no_refusal(self):
        for status, reply in (
            (504, page(504)),
            (502, said({"message": "upstream"}, {}, 502)),
            (502, said({"error": "bad gateway"}, {}, 502)),
            (404, page(404)),
            (302, page(302, b"", headers={"location": "https://hotel.example/"})),
            (None, page(200)),
            (None, page(200, b"", "application/json")),
            (None, said({})),
            (None, said({"status": "ok"})),
        ):
            with self.subTest(status=status):
                error = self.film(reply)
                self.assertIsInstance(error, NoAnswer)
                self.assertRegex(error.idempotency_key, MARK)
                self.assertEqual(error.status, status)
                self.assertRegex(self.failure(lambda: self.client().chat("Hello.")).idempotency_key, MARK)

    def test_refused_by_the_service_it_has_the_key_and_the_charge(self):
        pending = {"error": {"code": "SETTLEMENT_PENDING", "message": "Pending.", "requestId": "req_1"}}
        error = self.film(said(pending, {"x-charge-id": "ch_1", "x-charge-state": "settling"}, 503))
        self.assertIsInstance(error, LamppostError)
        self.assertRegex(error.idempotency_key, MARK)
        known = (error.charge_id, error.charge_state, error.code, error.request_id)
        self.assertEqual(known, ("ch_1", "settling", "SETTLEMENT_PENDING", "req_1"))

    def test_accepted_or_working_it_has_the_job(self):
        refused = said({"error": {"code": "KEY_EXPIRED", "message": "Over."}}, {}, 401)
        error = self.film(said(JOB, PAID), silence, page(502), refused)
        self.assertEqual((error.code, error.job_id, error.charge_id), ("KEY_EXPIRED", "job_1", "ch_1"))
        self.assertRegex(error.idempotency_key, MARK)
        lost = NoAnswer(self.url, "gone").know({"job_id": "job_1"})
        self.assertIn("`lamppost jobs wait job_1`", str(lost))

    def test_failed_it_has_the_reason_and_the_job(self):
        failed = {"status": "failed", "error": "No.", "errorCode": "PROVIDER_FAILED", "chargeState": "refunded"}
        error = self.film(said(JOB, PAID), said(failed))
        self.assertIsInstance(error, JobFailed)
        known = (error.job_id, error.charge_id, error.error_code, error.charge_state)
        self.assertEqual(known, ("job_1", "ch_1", "PROVIDER_FAILED", "refunded"))
        self.assertRegex(error.idempotency_key, MARK)

    def test_settled_without_its_file_it_has_the_job_and_the_address(self):
        url = f"{self.url}/made"
        for lost in (silence, page(200), page(200, b"", "video/mp4")):
            Stand.replies = [said(JOB, PAID), said({"status": "done", "url": url}), lost]
            error = self.failure(self.client().video("waves").bytes)
            self.assertIsInstance(error, NoAnswer)
            self.assertEqual((error.job_id, error.charge_id, error.url), ("job_1", "ch_1", url))
            self.assertRegex(error.idempotency_key, MARK)

    def test_is_one_kind_of_error_in_each_case(self):
        for kind in (NoAnswer, LamppostError, JobFailed):
            self.assertTrue(issubclass(kind, CallError))

    def test_broken_after_its_first_words_it_begins_no_other_answer_where_its_money_came_back(self):
        def words(stand):
            stand.send_response(200)
            for name, value in {**PAID, "content-type": "text/event-stream"}.items():
                stand.send_header(name, value)
            stand.end_headers()
            stand.wfile.write(b'data: {"choices":[{"delta":{"content":"One"}}]}\n\n')
            silence(stand)

        clock, read = Clock(), []
        Stand.replies = [words, silence, said({"state": "held"}), said({"state": "released", "priceMicro": 0}), words]
        with clock.running(), mock.patch.object(_texts, "time", clock), mock.patch.object(_payers, "time", clock):
            error = self.failure(lambda: read.extend(self.client(tries=None).stream("Count.")))
        self.assertIsInstance(error, NoAnswer)
        self.assertRegex(error.idempotency_key, MARK)
        self.assertEqual(([piece.text for piece in read], error.charge_id, len(Stand.marks)), (["One"], "ch_1", 1))

    def test_asks_for_rates_as_patiently_as_for_the_answer(self):
        rates = {"textModels": [{"id": "m", "default": True, "inputUsdPerMtok": "1", "outputUsdPerMtok": "1"}]}
        for call in (
            lambda client: client.completions.create([]),
            lambda client: next(client.stream("Hello.")),
            lambda client: client.batches.create({"first": {"messages": []}}),
        ):
            clock = Clock()
            Stand.replies = [*[silence] * 8, said(rates), page(404)]
            with self.subTest(), clock.running():
                error = self.failure(lambda: call(self.client(tries=None, budget=Budget(total=1))))
                self.assertEqual(error.status, 404)
                self.assertRegex(error.idempotency_key, MARK)

    def test_tries_a_paid_call_for_a_minute_by_the_clock(self):
        clock = Clock()
        Stand.replies = [silence]
        with clock.running():
            error = self.failure(lambda: self.client(tries=None).chat("Hello."))
        self.assertIsInstance(error, NoAnswer)
        self.assertAlmostEqual(clock.now, 1_060.0, delta=1)
        self.assertEqual((len(set(Stand.marks)), len(Stand.marks) > 8), (1, True))

    def test_outlasts_ten_minutes_where_it_waits_and_says_so_in_one_line(self):
        clock = Clock()

        def reply(stand):
            if clock.now > 1_600:
                said({"status": "done", "events": [{"id": "evt_1"}]})(stand)
            else:
                page(503)(stand)

        Stand.replies = [reply]
        with clock.running(), contextlib.redirect_stderr(io.StringIO()) as heard:
            job = self.client(tries=None).jobs.wait("job_1")
            self.assertEqual((job["status"], clock.now > 1_600), ("done", True))
            self.assertRegex(heard.getvalue(), r"^lamppost: waiting until .*jobs wait job_1.*\n$")
            self.assertEqual(next(self.client().events())["id"], "evt_1")

    def test_pauses_for_a_minute_at_most_where_it_waits(self):
        for asked in ("3600", "3000000000", "inf", "nan", "1e300", "Mon, 01 Jan 9999 00:00:00 GMT"):
            clock = Clock()
            away = page(503, headers={"retry-after": asked})
            Stand.replies = [away, away, said({"status": "done"})]
            with self.subTest(asked=asked), clock.running():
                self.client(tries=None, on_retry=lambda _: None).jobs.wait("job_1")
                self.assertLessEqual(clock.now, 1_121)

    def test_the_limit_holds_for_another_payer_and_after_a_refund(self):
        budget = Budget(total=0.000_005)
        done = said({"status": "done", "url": f"{self.url}/made"}, PAID)
        failed = said({"status": "failed", "error": "No.", "chargeState": "refunded"})
        Stand.replies = [said({"priceMicro": 5}), said(JOB, PAID), failed, said({"priceMicro": 6})]
        film = lambda key: self.client(key=key, budget=budget).video("waves", idempotency_key="mine")
        self.assertIsInstance(self.failure(lambda: film("lp_1")), JobFailed)
        self.assertIsInstance(self.failure(lambda: film("lp_1")), BudgetExceeded)
        Stand.replies = [said({"priceMicro": 5}), done]
        film("lp_1")
        Stand.replies = [said({"priceMicro": 5}), done]
        self.assertIsInstance(self.failure(lambda: film("lp_2")), BudgetExceeded)
        self.assertEqual(budget.state().spent_micro, 5)

    def test_counts_a_repeated_call_once(self):
        replayed = {**PAID, "idempotent-replayed": "true"}
        for budget in (Budget(total=0.000_005), Budget()):
            client = self.client(budget=budget)
            answer = {"choices": [{"message": {"content": "Hi."}}], "priceMicro": 5}
            Stand.replies = [said(answer, PAID)]
            client.chat("Hello.", idempotency_key="a-mark-of-mine")
            Stand.replies = [said(answer, replayed)]
            client.chat("Hello.", idempotency_key="a-mark-of-mine")
            self.assertEqual(budget.state().spent_micro, 5)


if __name__ == "__main__":
    unittest.main()
