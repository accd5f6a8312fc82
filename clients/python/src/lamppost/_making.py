"""Pictures and films: started, awaited and returned."""

from __future__ import annotations

import asyncio
import time
import uuid
from typing import TYPE_CHECKING, Any, AsyncGenerator, Callable, Dict, Mapping, Optional

from ._api import Api, Json, path_of
from ._errors import CallError, JobFailed, LamppostError, NoAnswer
from ._medium import AsyncMedium, Charge, to_media
from ._options import CAMEL, CallOptions, MediaOptions, PaidOptions, WaitOptions, body_of
from ._payers import Paid, Payer
from ._sender import Has, How, Request

if TYPE_CHECKING:
    from typing_extensions import Unpack

WAIT_SECONDS = 30
# The wait of one request if the caller wants progress reports.
WATCHED_WAIT_SECONDS = 5
POLL_SECONDS = 1.0
REFUND_TURNS = 10
CANCEL_SECONDS = 5.0
PATH = "/v1/agent/jobs"
SINGLE_SOURCES = ("image", "image2", "video", "mask", "lastFrame", "extend")

Known = Mapping[str, Optional[str]]


def paid_request(
    path: str,
    body: Mapping[str, Any],
    how: How,
    options: PaidOptions,
    has: Has = None,
    headers: Mapping[str, str] = {},
    **more: Any,
) -> Request:
    """A call that is paid once, however often it is sent."""
    key = options.get("idempotency_key") or str(uuid.uuid4())
    return Request("POST", path, body, {"Idempotency-Key": key, **headers}, has=has, how=how, **more)


async def bought(payer: Payer, request: Request, *limits: Any) -> Paid:
    """Buys a call. Its errors have its key, so that the caller can go on."""
    try:
        return await payer.buy(request, *limits)
    except CallError as error:
        raise error.know({"idempotency_key": request.headers["Idempotency-Key"]})


class AsyncJobs:
    """Jobs: work that continues after its call."""

    def __init__(self, api: Api) -> None:
        self._api = api

    async def get(self, job_id: str, **options: "Unpack[CallOptions]") -> Json:
        return await self._api.get(path_of(PATH, job_id), how=self._api.how(options))

    async def wait(self, job_id: str, **options: "Unpack[WaitOptions]") -> Json:
        """Waits until it is done or has failed, however long the service is away."""
        how = self._api.how(options, WaitOptions, "jobs.wait()")
        return await self.awaited(job_id, how, options.get("on_progress"))

    async def awaited(
        self, job_id: str, how: How, on_progress: Optional[Callable[[int], None]], known: Known = {}
    ) -> Json:
        """The same for a job whose call is known."""
        waits = "known" if known else "new"
        seconds = WAIT_SECONDS if on_progress is None else WATCHED_WAIT_SECONDS
        while True:
            asked = time.monotonic()
            job = await self._api.get(
                path_of(PATH, job_id),
                headers=self._api.sender.waiting(seconds, how),
                has=_is_job,
                waits=waits,
                known={**known, "job_id": job_id},
                how=how,
            )
            waits = "known"
            if on_progress is not None and job.get("progress") is not None:
                on_progress(job["progress"])
            if job["status"] != "running":
                return job
            if how.left() <= 0:
                raise NoAnswer(self._api.sender.url_of(path_of(PATH, job_id)), "its time limit is over").know(
                    {**known, "job_id": job_id}
                )
            # A proxy in between may answer at once; pause between the requests all the same.
            await self._api.sender.io.sleep(max(0.0, POLL_SECONDS - (time.monotonic() - asked)))

    async def list(
        self, *, status: Optional[str] = None, tag: Optional[str] = None, **options: "Unpack[CallOptions]"
    ) -> AsyncGenerator[Json, None]:
        async for job in self._api.pages(PATH, "jobs", {"status": status, "tag": tag}, self._api.how(options)):
            yield job

    async def cancel(self, job_id: str, **options: "Unpack[CallOptions]") -> Json:
        """Cancels and refunds it. Raises `CANCEL_TOO_LATE` when it is too late."""
        return (await self._api.change("POST", f"{path_of(PATH, job_id)}/cancel", how=self._api.how(options))).fields


class Making:
    def __init__(self, api: Api, payer: Payer, jobs: AsyncJobs) -> None:
        self._api = api
        self._payer = payer
        self._jobs = jobs

    async def begin(
        self, prompt: str, options: MediaOptions, how: How, headers: Mapping[str, str] = {}
    ) -> "tuple[Paid, Known]":
        body: Dict[str, Any] = {"prompt": prompt, **body_of(options, CAMEL)}
        for name in SINGLE_SOURCES:
            if name in body:
                body[name] = await to_media(body[name], self._fetched)
        if "sources" in body:
            body["sources"] = [await to_media(source, self._fetched) for source in body["sources"]]
        request = paid_request("/v1/agent/generate", body, how, options, _is_begun, headers)
        paid = await bought(self._payer, request, options.get("max_price_micro"))
        known = {
            "idempotency_key": request.headers["Idempotency-Key"],
            "job_id": paid.body.get("jobId"),
            "charge_id": paid.charge.id,
        }
        return paid, known

    async def make(self, prompt: str, options: MediaOptions, how: How) -> AsyncMedium:
        paid, known = await self.begin(prompt, options, how)
        if paid.body["status"] == "done":
            return self._medium(paid.body, paid, known)
        try:
            return await self._made(paid, known, options.get("on_progress"), how)
        except CallError as error:
            raise error.know(known)

    async def _fetched(self, url: str) -> bytes:
        return await self._api.sender.bytes(url)

    def _medium(self, said: Json, paid: Paid, known: Known) -> AsyncMedium:
        async def read(url: str) -> bytes:
            return await self._api.sender.bytes(url, known)

        def made(url: str, *further: AsyncMedium) -> AsyncMedium:
            return AsyncMedium(url, paid.charge, known["job_id"], paid.request_id, read, further)

        return made(said["url"], *(made(url) for url in said.get("urls", [])[1:]))

    async def _made(
        self, paid: Paid, known: Known, on_progress: Optional[Callable[[int], None]], how: How
    ) -> AsyncMedium:
        job_id = paid.body["jobId"]
        try:
            job = await self._jobs.awaited(job_id, how, on_progress, known)
        except (KeyboardInterrupt, asyncio.CancelledError):
            await self._cancel(job_id)
            raise
        if job.get("url"):
            return self._medium(job, paid, known)
        # The refund of a failed job follows a moment after its failure.
        for _ in range(REFUND_TURNS):
            if job["chargeState"] != "charged":
                break
            await self._api.sender.io.sleep(POLL_SECONDS)
            try:
                job = await self._jobs.get(job_id)
            except CallError:
                break  # The job has failed, even if nobody says what became of its money.
        if job["chargeState"] == "refunded":
            paid.refund()
        raise JobFailed(job_id, job.get("error"), job["chargeState"], job.get("errorCode"))

    async def _cancel(self, job_id: str) -> None:
        try:
            await self._jobs.cancel(job_id, tries=2, time_limit=CANCEL_SECONDS)
        except (LamppostError, NoAnswer):
            pass  # It is too late, or nobody answers: the job runs on.


def charge_in(event: Mapping[str, Any], micro: int) -> Charge:
    return Charge(str(event.get("id", "")), micro)


def _is_begun(body: Mapping[str, Any]) -> bool:
    """Whether an answer has the result of a call, or its job. Other servers answer with a status, too."""
    return isinstance(body.get("url" if body.get("status") == "done" else "jobId"), str)


def _is_job(body: Mapping[str, Any]) -> bool:
    return body.get("status") in ("running", "done", "failed")
