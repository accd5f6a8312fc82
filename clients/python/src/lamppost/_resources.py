"""Groups of routes: what a client has beside its calls."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Sequence
from urllib.parse import quote

from ._medium import Source, to_media
from ._payers import cost_nothing

if TYPE_CHECKING:
    from ._client import Lamppost

Json = Mapping[str, Any]


class _Group:
    def __init__(self, client: "Lamppost") -> None:
        self._client = client


class Receipts(_Group):
    """The states of charges, signed by the service."""

    def get(self, charge_id: str) -> Json:
        return self._client._get(f"/v1/agent/charges/{quote(charge_id, safe='')}")


class Delegated(_Group):
    """Delegated keys for others: they spend a part of this payer's money, for a time."""

    _PATH = "/v1/agent/keys"

    def create(self, *, limit_micro: int, expires_in_seconds: int, name: Optional[str] = None, **more: Any) -> Json:
        """Its `key` is shown once. Its limit counts against the budget as if it were spent."""
        body = {"name": name, "limitMicro": limit_micro, "expiresInSeconds": expires_in_seconds, **more}
        reservation = self._client.budget.reserve(str(uuid.uuid4()), limit_micro)
        try:
            made = self._client._change("POST", self._PATH, body, self._client._proof_for(self._PATH))
        except Exception as error:
            if cost_nothing(error):
                reservation.release()
            raise
        reservation.confirm(limit_micro)
        return made

    def list(self) -> Iterator[Json]:
        cursor = None
        while True:
            page = self._client._get(self._PATH, {"limit": 200, "cursor": cursor}, is_proven=True)
            yield from page["keys"]
            cursor = page.get("nextCursor")
            if cursor is None:
                return

    def delete(self, key_id: str) -> None:
        """Ends it, and all keys below it, at once."""
        self._client._change("DELETE", f"{self._PATH}/{quote(key_id, safe='')}")


class Webhooks(_Group):
    """Endpoints that receive signed events: see `unwrap_webhook`."""

    _PATH = "/v1/agent/webhooks"

    def create(self, *, url: str, types: Optional[Sequence[str]] = None) -> Json:
        """Its `secret` is shown once."""
        return self._client._change("POST", self._PATH, {"url": url, "types": types})

    def list(self) -> Sequence[Json]:
        return list(self._client._get(self._PATH, is_proven=True)["webhooks"])

    def delete(self, webhook_id: str) -> None:
        self._client._change("DELETE", f"{self._PATH}/{quote(webhook_id, safe='')}")

    def test(self, webhook_id: str) -> Json:
        """Sends a test message, and returns the answer of the receiver."""
        return self._client._change("POST", f"{self._PATH}/{quote(webhook_id, safe='')}/test")


class References(_Group):
    """Images and clips that later calls can use."""

    _PATH = "/v1/agent/references"

    def store(self, source: Source, *, label: Optional[str] = None) -> Json:
        body = {"media": to_media(source), "label": label}
        return dict(self._client._change("POST", self._PATH, body)["asset"])

    def list(self) -> Sequence[Json]:
        return list(self._client._get(self._PATH, is_proven=True)["refs"])

    def search(self, text: str, *, limit: Optional[int] = None) -> Sequence[Json]:
        """The most similar first."""
        query = {"q": text, "limit": limit}
        return list(self._client._get(f"{self._PATH}/search", query, is_proven=True)["refs"])

    def delete(self, reference_id: str) -> None:
        self._client._change("DELETE", f"{self._PATH}/{quote(reference_id, safe='')}")
