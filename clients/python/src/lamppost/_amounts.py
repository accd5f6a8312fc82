from __future__ import annotations

import re
from typing import Any, Optional

# More than the amount of any call.
MICRO_MAX = 10**15 - 1


def micro_in(text: Optional[str], most: float = MICRO_MAX) -> Optional[int]:
    """An amount in a text of the service; None if it is invalid or more than `most`."""
    if text is None or re.fullmatch(r"[0-9]{1,15}", text) is None:
        return None
    value = int(text)
    return value if value <= most else None


def micro_of(value: Any, most: float = MICRO_MAX) -> Optional[int]:
    """The same for a number in JSON."""
    is_micro = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= min(most, MICRO_MAX)
    return value if is_micro else None


def sure_micro(value: Any, what: str) -> int:
    """A required amount. Raises for anything else."""
    micro = micro_of(value)
    if micro is None:
        raise ValueError(f"The service names {what} that is none: {value!r}.")
    return micro
