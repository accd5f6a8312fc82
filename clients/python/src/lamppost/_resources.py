"""Groups of routes: what a client has beside its calls."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any, AsyncGenerator, Mapping, Optional, Sequence

from ._api import Api, Json, nothing, path_of
from ._budget import Budget
from ._medium import Source, to_media
from ._options import CallOptions
from ._payers import cost_nothing

if TYPE_CHECKING:
    from typing_extensions import Unpack


class _Group:
    def __init__(self, api: Api) -> None:
        self._api = api


class AsyncReceipts(_Group):
    """The states of charges, signed by the service."""

    async def get(self, charge_id: str, **options: "Unpack[CallOptions]") -> Json:
        return await self._api.get(path_of("/v1/agent/charges", charge_id), how=self._api.how(options))


class AsyncKeys(_Group):
    """The keys of an account. Only a client with a session can manage them."""

    _PATH = "/v1/account/keys"

    async def create(
        self,
        /,
        *,
        name: str,
        expires_in_days: Optional[int] = None,
        spend_limit_micro: Optional[int] = None,
        **more: Any,
    ) -> Json:
        """Its `key` is shown once. `more` are further fields of the route, by their names there."""
        body = {"name": name, "expiresInDays": expires_in_days, "spendLimitMicro": spend_limit_micro, **more}
        return (await self._api.change("POST", self._PATH, body)).fields

    async def list(self, **options: "Unpack[CallOptions]") -> AsyncGenerator[Json, None]:
        async for key in self._api.pages(self._PATH, "keys", {}, self._api.how(options)):
            yield key

    async def update(self, key_id: str, changes: Mapping[str, Any], **options: "Unpack[CallOptions]") -> Json:
        return (await self._api.change("PATCH", path_of(self._PATH, key_id), changes, how=self._api.how(options))).fields

    async def delete(self, key_id: str, **options: "Unpack[CallOptions]") -> None:
        """Ends it, and all keys below it, at once."""
        await self._api.change("DELETE", path_of(self._PATH, key_id), how=self._api.how(options))


class AsyncDelegated(_Group):
    """Delegated keys for others: they spend a part of this payer's money, for a time."""

    _PATH = "/v1/agent/keys"

    def __init__(self, api: Api, budget: Budget) -> None:
        super().__init__(api)
        self._budget = budget

    async def create(
        self, /, *, limit_micro: int, expires_in_seconds: int, name: Optional[str] = None, **more: Any
    ) -> Json:
        """Its `key` is shown once. Its limit counts against the budget as if it were spent."""
        body = {"name": name, "limitMicro": limit_micro, "expiresInSeconds": expires_in_seconds, **more}
        reservation = self._budget.reserve(str(uuid.uuid4()), limit_micro)
        try:
            proof = await self._api.sender.io.call(lambda: self._api.proof_for(self._PATH), nothing)
            made = (await self._api.change("POST", self._PATH, body, proof=proof)).fields
        except BaseException as error:
            if cost_nothing(error):
                reservation.release()
            raise
        reservation.confirm(limit_micro)
        return made

    async def list(self, **options: "Unpack[CallOptions]") -> AsyncGenerator[Json, None]:
        async for key in self._api.pages(self._PATH, "keys", {"limit": 200}, self._api.how(options)):
            yield key

    async def delete(self, key_id: str, **options: "Unpack[CallOptions]") -> None:
        """Ends it, and all keys below it, at once."""
        await self._api.change("DELETE", path_of(self._PATH, key_id), how=self._api.how(options))


class AsyncWebhooks(_Group):
    """Endpoints that receive signed events: see `unwrap_webhook`."""

    _PATH = "/v1/agent/webhooks"

    async def create(
        self, *, url: str, types: Optional[Sequence[str]] = None, **options: "Unpack[CallOptions]"
    ) -> Json:
        """Its `secret` is shown once."""
        how = self._api.how(options, CallOptions, "webhooks.create()")
        return (await self._api.change("POST", self._PATH, {"url": url, "types": types}, how=how)).fields

    async def list(self, **options: "Unpack[CallOptions]") -> Sequence[Json]:
        return list((await self._api.get(self._PATH, is_proven=True, how=self._api.how(options)))["webhooks"])

    async def delete(self, webhook_id: str, **options: "Unpack[CallOptions]") -> None:
        await self._api.change("DELETE", path_of(self._PATH, webhook_id), how=self._api.how(options))

    async def test(self, webhook_id: str, **options: "Unpack[CallOptions]") -> Json:
        """Sends a test message, and returns the answer of the receiver."""
        path = f"{path_of(self._PATH, webhook_id)}/test"
        return (await self._api.change("POST", path, how=self._api.how(options))).fields


class AsyncReferences(_Group):
    """Images and clips that later calls can use."""

    _PATH = "/v1/agent/references"

    async def store(self, source: Source, *, label: Optional[str] = None, **options: "Unpack[CallOptions]") -> Json:
        how = self._api.how(options, CallOptions, "references.store()")
        body = {"media": await to_media(source, self._api.sender.bytes), "label": label}
        return dict((await self._api.change("POST", self._PATH, body, how=how)).body["asset"])

    async def list(self, **options: "Unpack[CallOptions]") -> Sequence[Json]:
        return list((await self._api.get(self._PATH, is_proven=True, how=self._api.how(options)))["refs"])

    async def search(
        self, text: str, *, limit: Optional[int] = None, **options: "Unpack[CallOptions]"
    ) -> Sequence[Json]:
        """The most similar first."""
        how = self._api.how(options, CallOptions, "references.search()")
        query = {"q": text, "limit": limit}
        return list((await self._api.get(f"{self._PATH}/search", query, is_proven=True, how=how))["refs"])

    async def delete(self, reference_id: str, **options: "Unpack[CallOptions]") -> None:
        await self._api.change("DELETE", path_of(self._PATH, reference_id), how=self._api.how(options))
