from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import Any, Mapping, Optional, TypedDict, Union

from ._errors import NotGenuine

CLOCKS_DIFFER_SECONDS = 300


class _Owner(TypedDict):
    owner: str


class Recipient(_Owner, total=False):
    """The recipient of a message: your account id or wallet, and the endpoint, if it is for one."""

    endpoint: str


def _is_for(body: bytes, recipient: Recipient) -> bool:
    try:
        said = json.loads(body).get("recipient") or {}
        owner = str(said.get("owner", ""))
        return owner.lower() == recipient["owner"].lower() and said.get("endpoint") == recipient.get("endpoint")
    except (ValueError, AttributeError):
        return False


def is_genuine_webhook(
    headers: Mapping[str, str], body: Union[str, bytes], secret: str, recipient: Optional[Recipient] = None
) -> bool:
    """Whether the service sent this message, recently and to you. `body` is the raw text, before it is parsed.

    `secret` is that of the endpoint (`whsec_…`). A malformed message is not genuine, and never an error.
    """
    if not isinstance(secret, str) or secret == "":
        raise TypeError("A webhook is proven by the secret of its endpoint (whsec_…), and none is given.")
    said = {name.lower(): value for name, value in headers.items()}
    content = body.encode() if isinstance(body, str) else body
    message_id, stamp = said.get("webhook-id", ""), said.get("webhook-timestamp", "")
    try:
        is_late = abs(time.time() - int(stamp)) > CLOCKS_DIFFER_SECONDS
        key = base64.b64decode(re.sub("^whsec_", "", secret), validate=True)
    except (ValueError, binascii.Error, OverflowError):
        return False
    if message_id == "" or is_late or (recipient is not None and not _is_for(content, recipient)):
        return False
    signed = f"{message_id}.{stamp}.".encode() + content
    proof = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    given = [one.encode() for one in said.get("webhook-signature", "").split(" ")]
    return any([hmac.compare_digest(proof, one) for one in given])


def unwrap_webhook(
    headers: Mapping[str, str], body: Union[str, bytes], secret: str, recipient: Optional[Recipient] = None
) -> Any:
    """Verifies a message and returns its event."""
    if not is_genuine_webhook(headers, body, secret, recipient):
        raise NotGenuine("This message is not from the service, is too old, or is for another recipient.")
    return json.loads(body)
