from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional, Union

from ._api import Api
from ._io import waiting
from ._making import bought, paid_request
from ._medium import Charge, Content, Source, content_of, write
from ._options import OURS, SPEECH, SpeechOptions, TranscriptOptions, body_of
from ._payers import METERED, Payer

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True)
class AsyncSpeech:
    """A spoken text, and its charge."""

    content: Content
    charge: Charge
    request_id: Optional[str]

    async def bytes(self) -> Content:
        return self.content

    async def save(self, path: "Union[str, os.PathLike[str]]") -> None:
        write(path, self.content)


class Speech:
    """The same, for programs that block."""

    def __init__(self, core: AsyncSpeech) -> None:
        self._core = core
        self.content = core.content
        self.charge = core.charge
        self.request_id = core.request_id

    bytes = waiting(AsyncSpeech.bytes)
    save = waiting(AsyncSpeech.save)


@dataclass(frozen=True)
class Transcript:
    text: str
    charge: Charge
    request_id: Optional[str]


class AsyncAudio:
    """Speech, and transcripts of it."""

    def __init__(self, api: Api, payer: Payer, pays_per_call: bool) -> None:
        self._api = api
        self._payer = payer
        self._pays_per_call = pays_per_call

    async def speak(self, text: str, **options: "Unpack[SpeechOptions]") -> AsyncSpeech:
        """The text, spoken: an MP3 without `format`."""
        how = self._api.how(options, SpeechOptions, "audio.speak()")
        body = {"input": text, **body_of(options, SPEECH)}
        request = paid_request("/v1/audio/speech", body, how, options, is_raw=True)
        paid = await bought(self._payer, request, options.get("max_price_micro"))
        return AsyncSpeech(paid.body, paid.charge, paid.request_id)

    async def transcribe(self, source: Source, **options: "Unpack[TranscriptOptions]") -> Transcript:
        """The words of a sound file. Its price is known only after the service has read it, so no x402 can pay it."""
        how = self._api.how(options, TranscriptOptions, "audio.transcribe()")
        if self._pays_per_call:
            raise TypeError(METERED)
        name = os.path.basename(source) if isinstance(source, (str, os.PathLike)) else "sound"
        body = body_of(options, OURS)
        if isinstance(source, str) and source.startswith(("http://", "https://")):
            content = await self._api.sender.bytes(source)
        else:
            content = content_of(source)
        more: Any = {"file": (name, content)}
        request = paid_request("/v1/audio/transcriptions", body, how, options, "text", **more)
        paid = await bought(self._payer, request)
        return Transcript(paid.body["text"], paid.charge, paid.request_id)
