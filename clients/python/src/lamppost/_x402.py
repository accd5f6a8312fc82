from __future__ import annotations

import base64
import json
import math
import re
import secrets
import time
from typing import Any, Mapping, Protocol, Sequence

from ._amounts import micro_in
from ._errors import LamppostError

# USDC of Circle. Another token could have any value, so it must be named explicitly.
USDC = {
    "eip155:8453": "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
    "eip155:84532": "0x036cbd53842c5426634e7929541ec2318f3dcf7e",
}
TYPES = {
    "TransferWithAuthorization": [
        {"name": "from", "type": "address"},
        {"name": "to", "type": "address"},
        {"name": "value", "type": "uint256"},
        {"name": "validAfter", "type": "uint256"},
        {"name": "validBefore", "type": "uint256"},
        {"name": "nonce", "type": "bytes32"},
    ]
}
# Clocks differ: a signature is valid from some time ago.
BACKDATED_SECONDS = 600
# A payment expires within minutes, even if the service asks for more.
VALID_SECONDS_MAX = 600
ASKED_SECONDS_MAX = 86_400


class Wallet(Protocol):
    """A signer: an account of `eth_account`, or anything with its interface."""

    address: str

    def sign_typed_data(self, domain_data: Any, message_types: Any, message_data: Any) -> Any: ...


def _objection_to(offer: Any, assets: Sequence[str]) -> str:
    """The reason why an offer must not be signed; empty if it may be."""
    if not isinstance(offer, dict):
        return "it is no offer"
    named = [offer.get(name) for name in ("scheme", "network", "amount", "asset", "payTo")]
    if not all(isinstance(one, str) for one in named):
        return "it is no offer of x402"
    scheme, network, amount, asset, payee = (str(one) for one in named)
    seconds = offer.get("maxTimeoutSeconds")
    if scheme != "exact" or re.fullmatch(r"eip155:[0-9]{1,15}", network) is None:
        return "its scheme or network is not known here"
    if micro_in(amount) is None:
        return "its amount is no number"
    if re.fullmatch(r"0x[0-9a-fA-F]{40}", payee) is None:
        return "its payee is no address"
    if not isinstance(seconds, (int, float)) or not 0 < seconds <= ASKED_SECONDS_MAX:
        return "it could be taken for over a day"
    is_named = asset.lower() in [one.lower() for one in assets]
    return "" if USDC.get(network) == asset.lower() or is_named else "it is not USDC on Base"


class Draft:
    """An unsigned payment."""

    def __init__(self, refusal: LamppostError, wallet: Wallet, assets: Sequence[str]) -> None:
        required = _required_of(refusal)
        accepts = required.get("accepts")
        offers = accepts if isinstance(accepts, list) else []
        objections = [_objection_to(offer, assets) for offer in offers]
        if "" not in objections:
            reasons = "; ".join(dict.fromkeys(objections)) or "it offers no way to pay"
            refusal.args = (f"{refusal} Nothing was signed: {reasons}.",)
            raise refusal
        self.accepted: Mapping[str, Any] = offers[objections.index("")]
        self.resource = required.get("resource")
        self.micro = int(self.accepted["amount"])
        now = int(time.time())
        seconds = min(math.ceil(self.accepted["maxTimeoutSeconds"]), VALID_SECONDS_MAX)
        self.nonce = "0x" + secrets.token_hex(32)
        self.message = {
            "from": wallet.address,
            "to": self.accepted["payTo"].lower(),
            "value": self.micro,
            "validAfter": now - BACKDATED_SECONDS,
            "validBefore": now + seconds,
            "nonce": bytes.fromhex(self.nonce[2:]),
        }

    def sign(self, wallet: Wallet) -> Mapping[str, str]:
        """The header that pays for the call."""
        extra = self.accepted.get("extra") or {}
        domain = {
            "name": extra.get("name", "USD Coin"),
            "version": extra.get("version", "2"),
            "chainId": int(self.accepted["network"].split(":")[1]),
            "verifyingContract": self.accepted["asset"].lower(),
        }
        signed = wallet.sign_typed_data(domain, TYPES, self.message)
        signature = signed if isinstance(signed, str) else bytes(signed.signature).hex()
        authorization = {
            "from": self.message["from"],
            "to": self.accepted["payTo"],
            "value": self.accepted["amount"],
            "validAfter": str(self.message["validAfter"]),
            "validBefore": str(self.message["validBefore"]),
            "nonce": self.nonce,
        }
        payload = {
            "x402Version": 2,
            "resource": self.resource,
            "accepted": self.accepted,
            "payload": {
                "signature": signature if signature.startswith("0x") else f"0x{signature}",
                "authorization": authorization,
            },
        }
        return {"PAYMENT-SIGNATURE": base64.b64encode(json.dumps(payload).encode()).decode()}


def _required_of(refusal: LamppostError) -> Mapping[str, Any]:
    try:
        required = json.loads(base64.b64decode(refusal.headers.get("payment-required", "")))
        return required if isinstance(required, dict) else {}
    except ValueError:
        return {}
