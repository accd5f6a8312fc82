from __future__ import annotations

import http.client
import select
import socket
import ssl
import threading
import time
import urllib.request
from typing import Any, Mapping, Optional
from urllib.parse import urljoin, urlsplit

# Idle connections that are kept for each server, and for how long. Servers close idle connections, too.
KEPT_MAX = 16
KEPT_SECONDS = 30.0


class Exchange:
    """One request and its answer. Its methods block; `stop` ends them from another thread."""

    def __init__(
        self,
        connections: "Connections",
        method: str,
        url: str,
        body: Optional[bytes],
        headers: Mapping[str, str],
        timeout: float,
    ) -> None:
        self._connections = connections
        self._sent = (method, url, body, headers, timeout)
        self._connection: Optional[http.client.HTTPConnection] = None
        self._response: Any = None
        self._is_stopped = False
        self.status = 0
        self.headers: Mapping[str, str] = {}

    def send(self) -> "Exchange":
        method, url, body, headers, timeout = self._sent
        self._connection, target = self._connections.take(url, timeout)
        if self._is_stopped:
            raise ConnectionAbortedError("its caller has stopped it")
        try:
            self._connection.request(method, target, body, dict(headers))
            self._response = self._connection.getresponse()
        except BaseException:
            self.close()
            raise
        self.status = self._response.status
        self.headers = {name.lower(): value for name, value in self._response.getheaders()}
        return self

    def follow(self, location: str) -> None:
        """Goes to the address of a redirect, without a body."""
        _, url, _, headers, timeout = self._sent
        target = urljoin(url, location)
        if not target.startswith(("http://", "https://")):
            raise ValueError(f"{target[:80]} is no address of a file.")
        self._sent = ("GET", target, None, headers, timeout)
        self.send()

    def read(self) -> bytes:
        try:
            content = bytes(self._response.read())
        except BaseException:
            self.close()
            raise
        self._keep()
        return content

    def line(self) -> bytes:
        return bytes(self._response.readline())

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def stop(self) -> None:
        self._is_stopped = True
        open_socket = self._connection and self._connection.sock
        if open_socket:
            try:
                open_socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # It is over already.

    def _keep(self) -> None:
        if self._connection is not None and not self._response.will_close:
            self._connections.give(self._sent[1], self._connection)
        else:
            self.close()


class Connections:
    """The connections to servers. They are used again, because a new one costs several round trips."""

    def __init__(self) -> None:
        self._idle: dict[str, list[tuple[float, http.client.HTTPConnection]]] = {}
        self._lock = threading.Lock()
        self._tls: Optional[ssl.SSLContext] = None

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, {}
        for kept in idle.values():
            for _, connection in kept:
                connection.close()

    __del__ = close

    def take(self, url: str, timeout: float) -> tuple[http.client.HTTPConnection, str]:
        """A connection to the server of an address, and the target of the request."""
        place = urlsplit(url)
        proxy = None if urllib.request.proxy_bypass(place.netloc) else urllib.request.getproxies().get(place.scheme)
        is_forwarded = proxy is not None and place.scheme == "http"
        target = url if is_forwarded else (place.path or "/") + (f"?{place.query}" if place.query else "")
        connection = self._kept(_origin_of(url)) or self._made(url, proxy, timeout)
        connection.timeout = timeout
        if connection.sock is not None:
            connection.sock.settimeout(timeout)
        return connection, target

    def give(self, url: str, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            kept = self._idle.setdefault(_origin_of(url), [])
            kept.append((time.monotonic(), connection))
            old = kept.pop(0)[1] if len(kept) > KEPT_MAX else None
        if old is not None:
            old.close()

    def _kept(self, origin: str) -> Optional[http.client.HTTPConnection]:
        while True:
            with self._lock:
                kept = self._idle.get(origin)
                if not kept:
                    return None
                since, connection = kept.pop()
            # A connection with something to read was closed by its server.
            is_open = connection.sock is not None and not select.select([connection.sock], [], [], 0)[0]
            if is_open and time.monotonic() - since < KEPT_SECONDS:
                return connection
            connection.close()

    def _made(self, url: str, proxy: Optional[str], timeout: float) -> http.client.HTTPConnection:
        place = urlsplit(url)
        via = place if proxy is None else urlsplit(proxy if "//" in proxy else f"//{proxy}")
        host = via.hostname or ""
        if place.scheme != "https":
            return http.client.HTTPConnection(host, via.port, timeout=timeout)
        # The system's certificates take a moment to read.
        self._tls = self._tls or ssl.create_default_context()
        secure = http.client.HTTPSConnection(host, via.port, timeout=timeout, context=self._tls)
        if proxy is not None:
            secure.set_tunnel(place.hostname or "", place.port or 443)
        return secure


def _origin_of(url: str) -> str:
    place = urlsplit(url)
    return f"{place.scheme}://{place.netloc}"
