from __future__ import annotations

import re
from typing import Any, Optional

# No amount of a call comes near it.
MICRO_MAX = 10**15 - 1


def micro_in(text: Optional[str], most: float = MICRO_MAX) -> Optional[int]:
    """An amount that a service names in text, where it is one and at most `most`."""
    if text is None or re.fullmatch(r"[0-9]{1,15}", text) is None:
        return None
    value = int(text)
    return value if value <= most else None


def micro_of(value: Any, most: float = MICRO_MAX) -> Optional[int]:
    """The same of a number in JSON."""
    is_micro = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= min(most, MICRO_MAX)
    return value if is_micro else None


def sure_micro(value: Any, what: str) -> int:
    """An amount that has to be one: nothing can be counted with anything else."""
    micro = micro_of(value)
    if micro is None:
        raise ValueError(f"The service names {what} that is none: {value!r}.")
    return micro
