"""Which endpoints are on this very machine: they need no key, and share its processor."""

from ipaddress import ip_address
from urllib.parse import urlsplit


def is_loopback(base_url: str) -> bool:
    """Whether the endpoint is on this very machine."""
    host = urlsplit(base_url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def default_concurrency(base_url: str) -> int:
    """How many questions at once: eight, but one for a model that shares this machine's processor."""
    return 1 if is_loopback(base_url) else 8
