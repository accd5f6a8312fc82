from __future__ import annotations

import re
from typing import Mapping, Optional, Sequence, Union

# USDC of Circle on networks that are known here.
USDC = {
    "eip155:1": "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
    "eip155:10": "0x0b2c639c533813f4aa9d7837caf62653d097ff85",
    "eip155:137": "0x3c499c542cef5e3811e1192ce70d8cc03d5c3359",
    "eip155:8453": "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
    "eip155:42161": "0xaf88d065e77c8cc2239327c5edb3a432268e5831",
    "eip155:43113": "0x5425890298aed601595a70ab815c96711a31bc65",
    "eip155:43114": "0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e",
    "eip155:80002": "0x41e94eb019c0762f9bfcf9fb1e58725bfb0e7582",
    "eip155:84532": "0x036cbd53842c5426634e7929541ec2318f3dcf7e",
}
# Base, and its test network.
USUAL = ("eip155:8453", "eip155:84532")
NETWORK = re.compile(r"eip155:[1-9][0-9]{0,14}")
ADDRESS = re.compile(r"0x[0-9a-f]{40}")

Asset = Union[str, Mapping[str, str]]


class Payable:
    """The networks, and the tokens on them, that a wallet may sign for. A service cannot add to them."""

    def __init__(self, networks: Optional[Sequence[str]] = None, assets: Sequence[Asset] = ()) -> None:
        if isinstance(networks, str) or isinstance(assets, str) or networks is not None and len(networks) == 0:
            raise TypeError('networks and assets are lists, such as ["eip155:8453", "eip155:137"].')
        own = [({"asset": one} if isinstance(one, str) else one) for one in assets]
        self._own = [(one.get("network"), str(one.get("asset")).lower()) for one in own]
        self._preferred = networks
        self._named = [*(networks or USUAL), *(one for one, _ in self._own if one is not None)]
        for network in self._named:
            if NETWORK.fullmatch(network) is None:
                raise TypeError(f"{network} is no network such as eip155:137.")
            if network not in USDC and not any(on in (None, network) for on, _ in self._own):
                raise TypeError(
                    f"The USDC of {network} is not known here: name its token, "
                    f"assets=[{{'network': '{network}', 'asset': '0x…'}}]."
                )
        for _, token in self._own:
            if ADDRESS.fullmatch(token) is None:
                raise TypeError("assets are addresses of tokens, or {'network': 'eip155:137', 'asset': '0x…'}.")
        #: The network of sign-ins.
        self.chain_id = int(self._named[0].split(":")[1])

    def has(self, network: str) -> bool:
        """Whether the caller named this network."""
        return network in self._named

    def takes(self, network: str, token: str) -> bool:
        """Whether this token may be paid on this network."""
        is_own = any(one == token and on in (None, network) for on, one in self._own)
        return self.has(network) and (USDC.get(network) == token or is_own)

    def rank_of(self, network: str) -> int:
        """The preference of the caller: a smaller number is better."""
        return 0 if self._preferred is None else self._named.index(network)
