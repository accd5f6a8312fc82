"""Makes the calls of `paid-once.spec.ts` and `killed-service.spec.ts` with the package for Python.

Each line of standard input is a call in JSON. Each line of standard output is an outcome.
"""

import json
import sys
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from lamppost import Budget, JobFailed, Lamppost, LamppostError, NoAnswer

LINES = ("first", "second", "third")


class Wallet:
    """A wallet whose key the test holds."""

    def __init__(self, address, url):
        self.address = address
        self.url = url

    def ask(self, body):
        with urllib.request.urlopen(urllib.request.Request(self.url, json.dumps(body).encode())) as answer:
            return answer.read().decode()

    def sign_message(self, signable_message):
        return self.ask({"address": self.address, "text": signable_message.body.decode()})

    def sign_typed_data(self, domain_data, message_types, message_data):
        message = {**message_data, "nonce": "0x" + message_data["nonce"].hex()}
        return self.ask({"address": self.address, "domain": domain_data, "types": message_types, "message": message})


def call(client, asked, key, known):
    """The charge of the call, or nothing if a part is missing. A batch returns its id."""
    kind, words = asked["kind"], asked["words"]
    options = {"tag": asked["tag"], "idempotency_key": key}
    if kind in ("image", "film"):
        medium = client.image(words, **options) if kind == "image" else client.video(words, **options)
        medium.bytes()
        return medium.charge.id
    if kind == "start":
        if not known:
            known.update(client.start(words, **options))
        if "jobId" in known:
            client.jobs.wait(known["jobId"])
        return known["charge"].id
    if kind == "chat":
        return client.chat(words, **options).charge.id
    if kind == "speech":
        return client.audio.speak(words, **options).charge.id
    if kind == "transcript":
        return client.audio.transcribe(asked["sound"], **options).charge.id
    if kind == "batch":
        body = {"messages": [{"role": "user", "content": words}], "max_tokens": 50}
        if not known:
            known.update(client.batches.create({name: body for name in LINES}, idempotency_key=key))
        client.batches.wait(known["id"])
        results = client.batches.results(known["id"]).values()
        answered = [one for one in results if one["response"] and one["response"]["status_code"] == 200]
        return known["id"] if len(answered) == len(LINES) else ""
    if kind == "top-up":
        client.top_up(1, idempotency_key=key)
        return ""
    last = list(client.stream(words, **options))[-1]
    return last.charge.id if last.finish_reason == "stop" else ""


def through(client, asked):
    """Sends the calls through the network of the run. A wallet signs for the address of the service."""
    connections = client._core._sender.connections
    take = connections.take
    connections.take = lambda url, timeout: take(url.replace(asked["service"], asked["url"]), timeout)


def print_nothing(_):
    pass


def run(asked):
    payer = {"key": asked["key"]}
    if asked["rail"] != "key":
        payer = {"wallet": Wallet(asked["wallet"], asked["signer"])}
        if asked["rail"] == "balance":
            payer["pay"] = "balance"
    budget = Budget(total=3, per_call=2)
    timeout = asked.get("timeout") or 150
    client = Lamppost(asked["service"], budget=budget, timeout=timeout, tries=asked["tries"], on_retry=print_nothing, **payer)
    through(client, asked)
    key = None
    known = {}
    lost = []
    for turn in range(40):
        try:
            charge = call(client, asked, key, known)
            state = budget.state()
            return {"charge": charge, "lost": lost, "spent": state.spent_micro, "reserved": state.reserved_micro}
        except (NoAnswer, LamppostError, JobFailed) as error:
            lost.append(f"{type(error).__name__} {error}"[:300])
            key = error.idempotency_key or key
            time.sleep(0.05 * turn)
            if error.idempotency_key is None and error.job_id is None:
                return {"lost": [*lost, "no way on"]}
        except Exception as error:
            return {"lost": [*lost, f"{type(error).__name__} {error}"[:300]]}
    return {"lost": lost}


printing = threading.Lock()


def answer(line):
    asked = json.loads(line)
    time.sleep(max(0, asked.get("at", 0) / 1000 - time.time()))
    began = time.time()
    outcome = {"tag": asked["tag"], **run(asked), "began": began * 1000, "ended": time.time() * 1000}
    # The lines of several threads could mix.
    with printing:
        print(json.dumps(outcome), flush=True)


with ThreadPoolExecutor(int(sys.argv[1])) as pool:
    for line in sys.stdin:
        pool.submit(answer, line)
