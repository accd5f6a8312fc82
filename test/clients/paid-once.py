"""Makes the calls of `paid-once.spec.ts` with the package for Python: one line of JSON for each, and one for its outcome."""

import json
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from lamppost import Budget, JobFailed, Lamppost, LamppostError, NoAnswer


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


def call(client, kind, tag, key, known):
    """The charge of the call."""
    if kind == "image":
        medium = client.image("a lamp", tag=tag, idempotency_key=key)
        medium.bytes()
        return medium.charge.id
    if kind == "film":
        medium = client.video("waves", tag=tag, idempotency_key=key)
        medium.bytes()
        return medium.charge.id
    if kind == "start":
        if not known:
            known.update(client.start("a lamp", tag=tag, idempotency_key=key))
        if "jobId" in known:
            client.jobs.wait(known["jobId"])
        return known["charge"].id
    if kind == "chat":
        return client.chat("Hello.", tag=tag, idempotency_key=key).charge.id
    if kind == "top-up":
        client.top_up(1, idempotency_key=key)
        return ""
    return list(client.stream("Hello.", tag=tag, idempotency_key=key))[-1].charge.id


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
    client = Lamppost(asked["service"], budget=budget, timeout=asked["timeout"], tries=asked["tries"], on_retry=print_nothing, **payer)
    through(client, asked)
    key = None
    known = {}
    lost = []
    for turn in range(40):
        try:
            charge = call(client, asked["kind"], asked["tag"], key, known)
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


def answer(line):
    asked = json.loads(line)
    return json.dumps({"tag": asked["tag"], **run(asked)})


with ThreadPoolExecutor(int(sys.argv[1])) as pool:
    # One thread prints, because the lines of several could mix.
    for outcome in pool.map(answer, sys.stdin):
        print(outcome, flush=True)
