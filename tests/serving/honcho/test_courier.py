"""The courier, against real receivers on loopback: signed, in time, and never where it must not go."""

import hashlib
import hmac
import json
import time
from collections.abc import Iterator

import pytest

from hymem.errors import InputError
from serving.honcho.courier import Courier, Event, checked_url
from tests.support.webhook_receiver import Receiver, receiving

EVENT = Event("queue.empty", {"workspace_id": "w", "a": "é"}, "2026-06-01T00:00:00.000000Z")


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def slow() -> Iterator[Receiver]:
    with receiving(pause=2.0) as receiver:
        yield receiver


@pytest.fixture
def elsewhere() -> Iterator[Receiver]:
    with receiving(status=307) as receiver:
        yield receiver


def settled(courier: Courier, number: int) -> tuple[int, int]:
    """Delivered and failed, once there are so many."""
    ends = time.monotonic() + 20
    while courier.delivered + courier.failed < number and time.monotonic() < ends:
        time.sleep(0.01)
    return courier.delivered, courier.failed


def test_an_event_is_delivered_and_signed(receiver: Receiver):
    courier = Courier("secret", local=True)
    courier.deliver([receiver.url], EVENT)
    assert settled(courier, 1) == (1, 0)
    courier.close()

    ((path, headers, body),) = receiver.came
    assert path == "/hook?a=1"
    assert body == (
        b'{"data":{"a":"\\u00e9","workspace_id":"w"},"timestamp":"2026-06-01T00:00:00.000000Z","type":"queue.empty"}'
    )
    assert json.loads(body)["type"] == "queue.empty"
    assert headers["X-Honcho-Signature"] == hmac.new(b"secret", body, hashlib.sha256).hexdigest()


def test_nobody_waits_for_an_address_that_is_slow_and_others_are_reached(slow: Receiver, receiver: Receiver):
    courier = Courier(None, local=True, timeout_seconds=0.3)
    before = time.monotonic()
    courier.deliver([slow.url, receiver.url], EVENT)
    took = time.monotonic() - before

    assert took < 0.1
    assert settled(courier, 2) == (1, 1)
    assert "X-Honcho-Signature" not in receiver.came[0][1]
    courier.close()


def test_a_redirection_is_not_followed(elsewhere: Receiver):
    courier = Courier(None, local=True)
    courier.deliver([elsewhere.url], EVENT)

    assert settled(courier, 1) == (0, 1) and len(elsewhere.came) == 1
    courier.close()


def test_a_name_that_leads_to_this_machine_is_not_called(receiver: Receiver):
    courier = Courier(None)
    courier.deliver([receiver.url, receiver.url.replace("127.0.0.1", "localhost")], EVENT)

    assert settled(courier, 2) == (0, 2) and receiver.came == []
    courier.close()


def test_an_errand_that_fails_ends_no_other(receiver: Receiver):
    courier = Courier(None, local=True)
    courier.call(lambda: 1 // 0)  # pyright: ignore[reportArgumentType]
    courier.deliver([receiver.url], EVENT)

    assert settled(courier, 2) == (1, 1)
    courier.close()


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://10.1.2.3/hook",
        "http://192.168.0.9",
        "http://169.254.169.254/latest/meta-data",
        "http://[::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://[fe80::1%25eth0]/",
        "http://0.0.0.0/",
        "http://localhost:8765/v3",
        "http://db.internal/",
        "http://printer.local./",
        "ftp://example.org/",
        "file:///etc/passwd",
        "https://",
        "https://example.org:99999/",
        "https://exa mple.org/",
        "https://example.org/\r\nX: y",
        "javascript:alert(1)",
        "https://[::1",
        "https://example.org/" + "a" * 3000,
    ],
)
def test_an_address_that_must_not_be_called_is_refused(url: str):
    with pytest.raises(InputError, match="webhook"):
        checked_url(url)


@pytest.mark.parametrize(
    "url", ["https://example.org/hook?token=1", "http://8.8.8.8:8080/x", "https://[2606:4700::1111]/"]
)
def test_an_address_in_the_world_is_taken(url: str):
    assert checked_url(url) == url
