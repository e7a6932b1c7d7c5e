"""What is said of a connection that came to nothing before the engine's greeting."""

import re
from urllib.parse import urlsplit

_CHECK = "check ENGINE_URL: the engine's port for Step processes is 3110 unless its configuration says another"


def connect_fault(url: str, message: str) -> str:
    """Where something else answers: what that is, and what to do. Any other message stays as it is."""
    host = _host(url)
    answered = re.search(r"the upgrade was answered with 'HTTP/1\.[01] (\d{3})", message)
    if answered:
        status = int(answered.group(1))
        if status >= 500:
            return f"{host} answers with HTTP {status}; the engine behind it may be away"
        return f"{host} answers with HTTP {status} and is no channel of Step processes; {_CHECK}"
    if url.startswith("wss:") and re.search("WRONG_VERSION_NUMBER|RECORD_LAYER_FAILURE", message):
        return f"{host} speaks no TLS; write ws:// into ENGINE_URL, or the address of a proxy that has TLS"
    return message


def strange_peer(url: str) -> str:
    """What is said of a peer that answers as no engine does."""
    return f"{_host(url)} does not answer as an engine does; {_CHECK}"


def _host(url: str) -> str:
    return urlsplit(url).netloc.rpartition("@")[2]
