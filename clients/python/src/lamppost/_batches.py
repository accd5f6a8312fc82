from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any, AsyncGenerator, Callable, Dict, Mapping, Optional

from ._api import Api, Json, path_of
from ._budget import Budget
from ._errors import NoAnswer
from ._options import CallOptions
from ._payers import cost_nothing
from ._texts import AsyncCompletions

if TYPE_CHECKING:
    from typing_extensions import Unpack

PATH = "/v1/batches"
FILES = "/v1/files"
POLL_SECONDS = 1.0
POLL_SECONDS_MAX = 30.0
ENDED = ("completed", "failed", "expired", "cancelled")


class AsyncBatches:
    """Up to 10,000 conversations that run within a day."""

    def __init__(
        self, api: Api, budget: Budget, completions: AsyncCompletions, key_of: Callable[[str], str]
    ) -> None:
        self._api = api
        self._budget = budget
        self._completions = completions
        #: The name of a call in the budget, by its idempotency key.
        self._key_of = key_of

    async def create(
        self,
        calls: Mapping[str, Mapping[str, Any]],
        *,
        endpoint: str = "/v1/chat/completions",
        metadata: Optional[Mapping[str, str]] = None,
        idempotency_key: Optional[str] = None,
        **options: "Unpack[CallOptions]",
    ) -> Json:
        """Begins the calls: the body of each, by a name of yours.

        A budget counts each call with its `maxPriceMicro`, or else with the most that it can cost. The same calls with the
        same `idempotency_key` are the same batch.
        """
        how = self._api.how(options, CallOptions, "batches.create()")
        key = idempotency_key or str(uuid.uuid4())
        bodies: Dict[str, Mapping[str, Any]] = dict(calls)
        reservation = None
        if self._budget.is_limited:
            for name, body in bodies.items():
                most = body.get("maxPriceMicro")
                most = await self._completions.most_of(body, key, how) if most is None else most
                bodies[name] = {**body, "maxPriceMicro": most}
            most_micro = sum(body["maxPriceMicro"] for body in bodies.values())
            reservation = self._budget.find(self._key_of(key)) or self._budget.reserve(self._key_of(key), most_micro)
        lines = [
            json.dumps({"custom_id": name, "method": "POST", "url": endpoint, "body": body})
            for name, body in bodies.items()
        ]
        was_sent = reservation is not None and reservation.is_joined
        is_sent = False
        try:
            file = ("calls.jsonl", "\n".join(lines).encode())
            kept = await self._api.change("POST", FILES, {"purpose": "batch"}, how=how, file=file, key=key, has="id")
            is_sent = True
            order = {"input_file_id": kept.body["id"], "endpoint": endpoint, "completion_window": "24h", "metadata": metadata}
            batch = await self._api.change("POST", PATH, order, how=how, key=key, has="request_counts")
        except BaseException as error:
            if reservation is not None and (cost_nothing(error, was_sent) if is_sent else not was_sent):
                reservation.release()
            elif reservation is not None:
                reservation.leave()
            raise
        if reservation is not None:
            reservation.confirm(reservation.micro, "idempotent-replayed" in batch.headers)
        return batch.fields

    async def get(self, batch_id: str, **options: "Unpack[CallOptions]") -> Json:
        return await self._api.get(path_of(PATH, batch_id), is_proven=True, how=self._api.how(options))

    async def wait(self, batch_id: str, **options: "Unpack[CallOptions]") -> Json:
        """Waits until it has ended, however long the service is away."""
        how = self._api.how(options, CallOptions, "batches.wait()")
        path, pause, waits = path_of(PATH, batch_id), POLL_SECONDS, "new"
        while True:
            batch = await self._api.get(path, is_proven=True, how=how, has="request_counts", waits=waits)
            waits = "known"
            if batch["status"] in ENDED:
                return batch
            if how.left() <= 0:
                raise NoAnswer(self._api.sender.url_of(path), TimeoutError("its time limit is over"))
            await self._api.sender.io.sleep(min(pause, how.left()))
            pause = min(POLL_SECONDS_MAX, pause * 1.5)

    async def results(self, batch_id: str, **options: "Unpack[CallOptions]") -> Mapping[str, Json]:
        """The answers of an ended batch by the names of the calls: each has a `response` or an `error`."""
        how = self._api.how(options, CallOptions, "batches.results()")
        path = path_of(PATH, batch_id)
        batch = await self._api.get(path, is_proven=True, how=how, has="request_counts", waits="new")
        found: Dict[str, Json] = {}
        for name in ("output_file_id", "error_file_id"):
            if batch.get(name):
                content = await self._api.read(f"{path_of(FILES, batch[name])}/content", how)
                lines = (json.loads(line) for line in content.decode().splitlines() if line)
                found.update((line["custom_id"], line) for line in lines)
        return found

    async def list(self, **options: "Unpack[CallOptions]") -> AsyncGenerator[Json, None]:
        how = self._api.how(options, CallOptions, "batches.list()")
        after = None
        while True:
            page = await self._api.get(PATH, {"after": after}, is_proven=True, how=how, has="data")
            for batch in page["data"]:
                yield batch
            after = page["data"][-1]["id"] if page["data"] else None
            if not page.get("has_more"):
                return

    async def cancel(self, batch_id: str, **options: "Unpack[CallOptions]") -> Json:
        """Stops it. Calls that have not begun cost nothing."""
        how = self._api.how(options, CallOptions, "batches.cancel()")
        return (await self._api.change("POST", f"{path_of(PATH, batch_id)}/cancel", how=how)).fields
