from __future__ import annotations

import base64
import json
import math
import re
import secrets
import time
from typing import Any, Mapping, Protocol

from ._amounts import micro_in
from ._errors import LamppostError
from ._payable import Payable
from ._sign_in import hex_of

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

    # With `pay="balance"`, and for lists: `def sign_message(self, signable_message: Any) -> Any`.


def _objection_to(offer: Any, payable: Payable) -> str:
    """The reason why an offer must not be signed; empty if it may be."""
    if not isinstance(offer, dict):
        return "it is no offer"
    named = [offer.get(name) for name in ("scheme", "network", "amount", "asset", "payTo")]
    if not all(isinstance(one, str) for one in named):
        return "it is no offer of x402"
    scheme, network, amount, asset, payee = (str(one) for one in named)
    seconds = offer.get("maxTimeoutSeconds")
    if scheme != "exact":
        return "its scheme is not known here"
    if not payable.has(network):
        return f"the network {network} is not one of yours"
    if micro_in(amount) is None:
        return "its amount is no number"
    if re.fullmatch(r"0x[0-9a-fA-F]{40}", payee) is None:
        return "its payee is no address"
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds <= ASKED_SECONDS_MAX:
        return "it could be taken for over a day"
    token = asset.lower()
    is_payable = payable.takes(network, token)
    return "" if is_payable else f"{token} is not USDC on {network}, and not named as a token that may be paid"


class Draft:
    """An unsigned payment."""

    def __init__(self, refusal: LamppostError, wallet: Wallet, payable: Payable) -> None:
        required = _required_of(refusal)
        accepts = required.get("accepts")
        offers = accepts if isinstance(accepts, list) else []
        objections = [_objection_to(offer, payable) for offer in offers]
        allowed = [offer for offer, objection in zip(offers, objections) if objection == ""]
        if not allowed:
            reasons = "; ".join(dict.fromkeys(objections)) or "it offers no way to pay"
            refusal.args = (f"{refusal} Nothing was signed: {reasons}.",)
            raise refusal
        # The order of the caller's networks counts, and then that of the service.
        self.accepted: Mapping[str, Any] = min(allowed, key=lambda offer: payable.rank_of(offer["network"]))
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

    @property
    def payment(self) -> Mapping[str, Any]:
        """Its identity on the chain, for the file of a budget."""
        return {
            "network": self.accepted["network"],
            "asset": self.accepted["asset"],
            "from": self.message["from"],
            "nonce": self.nonce,
            "validBefore": self.message["validBefore"],
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
        signature = hex_of(wallet.sign_typed_data(domain, TYPES, self.message))
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
                "signature": signature,
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
