"""Against a service: LAMPPOST_URL and LAMPPOST_KEY say which. SIGNER is a command that signs as a wallet."""

import asyncio
import json
import os
import subprocess
import tempfile
import unittest

from lamppost import AsyncLamppost, Budget, BudgetExceeded, JobFailed, Lamppost, LamppostError

URL, KEY = os.environ.get("LAMPPOST_URL"), os.environ.get("LAMPPOST_KEY")


class OtherProgram:
    """A wallet whose key another program holds."""

    def __init__(self, command):
        self.command = json.loads(command)
        self.address = subprocess.check_output([*self.command, "address"], text=True).strip()

    def sign_message(self, signable_message):
        said = json.dumps({"text": signable_message.body.decode()})
        return subprocess.check_output([*self.command, said], text=True).strip()

    def sign_typed_data(self, domain_data, message_types, message_data):
        message = {**message_data, "nonce": "0x" + message_data["nonce"].hex()}
        data = json.dumps({"domain": domain_data, "types": message_types, "message": message})
        return subprocess.check_output([*self.command, data], text=True).strip()


@unittest.skipUnless(URL and KEY, "no service is named")
class ServiceTest(unittest.TestCase):
    def setUp(self):
        self.lamppost = Lamppost(URL, key=KEY)

    def test_makes_a_picture_and_says_what_it_cost(self):
        before = self.lamppost.balance()
        picture = self.lamppost.image("A red fox", model="ember-image", tag="python")
        with tempfile.TemporaryDirectory() as folder:
            picture.save(f"{folder}/fox.png")
            with open(f"{folder}/fox.png", "rb") as file:
                content = file.read()
        self.assertEqual(content[1:4], b"PNG")
        self.assertEqual(before - self.lamppost.balance(), picture.charge.micro)
        self.assertEqual([job["tag"] for job in self.lamppost.jobs.list(tag="python")], ["python"])

    def test_makes_a_film_from_a_picture_and_tells_how_far_it_is(self):
        heard = []
        film = self.lamppost.video(
            "It moves", image=self.lamppost.image("A lamp").bytes(), on_progress=heard.append
        )
        self.assertEqual(film.bytes()[4:8], b"ftyp")
        self.assertEqual(heard, sorted(heard))

    def test_answers_and_streams(self):
        self.assertIn("[sandbox]", self.lamppost.chat("Hello.", max_tokens=50).text)
        before = self.lamppost.balance()
        pieces = list(self.lamppost.stream("Count to five."))
        self.assertIn("[sandbox]", "".join(piece.text for piece in pieces))
        self.assertEqual(before - self.lamppost.balance(), pieces[-1].charge.micro)

    def test_asks_again_under_the_same_mark_for_the_same_answer(self):
        before = self.lamppost.balance()
        first = self.lamppost.chat("Hello.", idempotency_key="python-mark")
        again = self.lamppost.chat("Hello.", idempotency_key="python-mark")
        self.assertEqual((first.text, first.charge.id), (again.text, again.charge.id))
        self.assertEqual(before - self.lamppost.balance(), first.charge.micro)

    def test_says_what_failed_and_that_the_money_is_back(self):
        before = self.lamppost.balance()
        with self.assertRaises(JobFailed) as failed:
            self.lamppost.video("A film [[fail]]")
        self.assertEqual(failed.exception.charge_state, "refunded")
        with self.assertRaises(LamppostError) as refused:
            self.lamppost.video("Waves", model="torch-video", duration=5)
        self.assertEqual((refused.exception.param, refused.exception.fix["duration"]), ("duration", 4))
        self.assertEqual(self.lamppost.balance(), before)

    def test_spends_no_more_than_it_may(self):
        budget = Budget(total=0.000_001)
        poor = Lamppost(URL, key=KEY, budget=budget)
        before = self.lamppost.balance()
        for call in (lambda: poor.chat("Hello."), lambda: next(poor.stream("Hello.")), lambda: poor.image("x")):
            with self.assertRaises(BudgetExceeded):
                call()
        self.assertEqual(self.lamppost.balance(), before)
        rich = Lamppost(URL, key=KEY, budget=Budget(total=1))
        cost = rich.chat("Hello.").charge.micro + list(rich.stream("Hello."))[-1].charge.micro
        self.assertEqual(rich.budget.state().spent_micro, cost)

    def test_hears_what_happens(self):
        picture = self.lamppost.image("A lamp in the fog", tag="heard")
        for event in self.lamppost.events(types=["charge.charged"]):
            if event["data"]["id"] == picture.charge.id:
                self.assertEqual(event["data"]["priceMicro"], picture.charge.micro)
                break

    @unittest.skipUnless(os.environ.get("SIGNER"), "nothing signs")
    def test_pays_in_usdc(self):
        wallet = OtherProgram(os.environ["SIGNER"])
        lamppost = Lamppost(URL, wallet=wallet, budget=Budget(per_call=5))
        answer = lamppost.chat("Hello.")
        self.assertGreater(answer.charge.micro, 0)
        self.assertEqual(lamppost.budget.state().spent_micro, answer.charge.micro)
        self.assertEqual(lamppost.top_up(5), 5_000_000)

        budget = Budget(total=1)
        prepaid = Lamppost(URL, wallet=wallet, pay="balance", budget=budget)
        before = prepaid.balance()
        cost = prepaid.chat("Hello.").charge.micro + list(prepaid.stream("Hello."))[-1].charge.micro
        self.assertEqual((before - prepaid.balance(), budget.state().spent_micro), (cost, cost))
        self.assertEqual(list(prepaid.delegated.list()), [])
        made = prepaid.delegated.create(limit_micro=100_000, expires_in_seconds=3_600)
        self.assertIn("[sandbox]", Lamppost(URL, key=made["key"]).chat("Hello.", max_tokens=20).text)
        prepaid.delegated.delete(made["id"])

    def test_talks_with_tools_speaks_and_runs_batches(self):
        budget = Budget(total=2)
        lamppost = Lamppost(URL, key=KEY, budget=budget)
        before = self.lamppost.balance()
        tool = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}
        question = [{"role": "user", "content": "Rain?"}]
        made = lamppost.completions.create(question, tools=[tool])
        self.assertEqual(made.message["tool_calls"][0]["function"]["name"], "weather")
        deltas = [piece.delta for piece in lamppost.completions.stream(question, tools=[tool])]
        self.assertTrue(any("tool_calls" in delta for delta in deltas))
        with tempfile.TemporaryDirectory() as folder:
            speech = lamppost.audio.speak("The lamps are lit.")
            speech.save(f"{folder}/speech.mp3")
            transcript = lamppost.audio.transcribe(f"{folder}/speech.mp3")
        self.assertTrue(transcript.text and transcript.charge.micro)
        self.assertEqual(before - self.lamppost.balance(), budget.state().spent_micro)
        batch = lamppost.batches.create({"first": {"messages": question, "max_tokens": 16}})
        self.assertEqual(lamppost.batches.wait(batch["id"])["status"], "completed")
        self.assertEqual(list(lamppost.batches.results(batch["id"])), ["first"])
        self.assertEqual(next(iter(lamppost.batches.list()))["id"], batch["id"])
        self.assertEqual(budget.state().reserved_micro, 0)

    @unittest.skipUnless(os.environ.get("SESSION"), "no account is signed in")
    def test_manages_keys(self):
        account = Lamppost(URL, session=os.environ["SESSION"])
        made = account.keys.create(name="a bot", expires_in_days=30, spend_limit_micro=5_000)
        self.assertIn("[sandbox]", Lamppost(URL, key=made["key"]).chat("Hello.", max_tokens=20).text)
        self.assertEqual(account.keys.update(made["id"], {"enabled": False})["id"], made["id"])
        self.assertIn(made["id"], [key["id"] for key in account.keys.list()])
        account.keys.delete(made["id"])

    def test_takes_its_own_picture_as_a_source(self):
        fox = self.lamppost.image("A red fox")
        self.assertTrue(self.lamppost.image("It moves", model="ember-edit", image=fox.url).url)

    def test_works_in_an_event_loop(self):
        async def work():
            async with AsyncLamppost(URL, key=KEY) as lamppost:
                answers = await asyncio.gather(*(lamppost.chat(f"Hello {at}.") for at in range(8)))
                pieces = [piece async for piece in lamppost.stream("Count to five.")]
                film = await lamppost.video("Waves", duration=4)
                return answers, pieces, await film.bytes()

        answers, pieces, film = asyncio.run(work())
        self.assertEqual({answer.finish_reason for answer in answers}, {"stop"})
        self.assertEqual((pieces[-1].finish_reason, film[4:8]), ("stop", b"ftyp"))

    def test_counts_what_a_stream_has_cost_that_was_left(self):
        budget = Budget(total=1)
        lamppost = Lamppost(URL, key=KEY, budget=budget)
        before = lamppost.balance()
        stream = lamppost.stream("Count. [[tokens 200]] [[pace 9s]]")
        next(stream)
        stream.close()
        state = budget.state()
        self.assertEqual((before - lamppost.balance(), state.reserved_micro), (state.spent_micro, 0))
        self.assertGreater(state.spent_micro, 0)

    def test_starts_a_film_keeps_references_and_hands_on_money(self):
        started = self.lamppost.start("Waves", duration=4, tag="started")
        self.assertTrue(self.lamppost.jobs.wait(started["jobId"])["url"])
        with self.assertRaisesRegex(TypeError, "takes no option 'maxPrice'"):
            self.lamppost.start("Waves", maxPrice=5)
        stored = self.lamppost.references.store(self.lamppost.image("A fox").bytes(), label="a fox")
        self.assertIn(stored["id"], [one["id"] for one in self.lamppost.references.list()])
        for event in self.lamppost.events(types=["reference.ready"]):
            if event["data"]["id"] == stored["id"]:
                break
        self.assertTrue(self.lamppost.references.search("a fox", limit=1))
        self.lamppost.references.delete(stored["id"])
        charge = self.lamppost.chat("Hello.").charge
        self.assertEqual(self.lamppost.receipts.get(charge.id)["priceMicro"], charge.micro)
        made = self.lamppost.delegated.create(limit_micro=1_000, expires_in_seconds=60, name="helper")
        self.assertEqual([one["name"] for one in self.lamppost.delegated.list()], ["helper"])
        self.lamppost.delegated.delete(made["id"])
        hook = self.lamppost.webhooks.create(url="https://example.com/hook", types=["job.done"])
        self.assertIn(hook["id"], [one["id"] for one in self.lamppost.webhooks.list()])
        self.lamppost.webhooks.delete(hook["id"])
