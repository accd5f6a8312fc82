from __future__ import annotations

import base64
import json
import secrets
import time
from datetime import datetime, timezone
from typing import Any, Mapping, NamedTuple, Protocol
from urllib.parse import urlsplit

SECONDS = 5 * 60
RENEWED_BEFORE_SECONDS = 30


class Text(NamedTuple):
    """A text to sign, with the fields of `eth_account.messages.SignableMessage`."""

    version: bytes
    header: bytes
    body: bytes


class TextSigner(Protocol):
    address: str

    def sign_message(self, signable_message: Any) -> Any: ...


def hex_of(signed: Any) -> str:
    """A signature as text: `eth_account` returns an object."""
    text = signed if isinstance(signed, str) else bytes(signed.signature).hex()
    return text if text.startswith("0x") else f"0x{text}"


class SignIn:
    """Proves a wallet for the calls of five minutes: one signature serves all of them."""

    def __init__(self, wallet: TextSigner, base_url: str, chain_id: int) -> None:
        self._wallet = wallet
        self._url = urlsplit(base_url)
        self._chain_id = chain_id
        self._header = ""
        self._until = 0.0

    def headers(self) -> Mapping[str, str]:
        if time.time() > self._until - RENEWED_BEFORE_SECONDS:
            self._header = self._sign("")
            self._until = time.time() + SECONDS
        return {"Sign-In-With-X": self._header}

    def headers_for(self, url: str) -> Mapping[str, str]:
        """Proves it for one call that delegates the money of the wallet; no other sign-in is accepted there."""
        return {"Sign-In-With-X": self._sign(f"\nResources:\n- {url}")}

    def _sign(self, resources: str) -> str:
        issued = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        host = self._url.netloc
        message = (
            f"{host} wants you to sign in with your Ethereum account:\n{self._wallet.address}\n\n"
            f"Pay from the balance of this wallet.\n\nURI: {self._url.scheme}://{host}\nVersion: 1\n"
            f"Chain ID: {self._chain_id}\nNonce: {secrets.token_hex(8)}\nIssued At: {issued}{resources}"
        )
        body = message.encode()
        text = Text(b"E", b"thereum Signed Message:\n" + str(len(body)).encode(), body)
        proof = {"message": message, "signature": hex_of(self._wallet.sign_message(text))}
        return base64.b64encode(json.dumps(proof).encode()).decode()
