from __future__ import annotations

import pytest
from axes.models import AccessAttempt
from django.test import RequestFactory
from django.urls import reverse

from leaderboard.web.client_address import client_address

PEER = "192.0.2.1"
NAMED = {
    "203.0.113.9": "203.0.113.9",
    "203.0.113.9:51234": "203.0.113.9",
    "203.0.113.9:": "203.0.113.9",
    "2001:db8::1": "2001:db8::1",
    "[2001:db8::1]": "2001:db8::1",
    "[2001:db8::1]:443": "2001:db8::1",
    '"[2001:db8::1]:443"': "2001:db8::1",
    "2001:DB8:0:0:0:0:0:1": "2001:db8::1",
    "fe80::1%eth0": "fe80::1",
    "[fe80::1%25eth0]:80": "fe80::1",
    "::ffff:203.0.113.9": "203.0.113.9",
    "[203.0.113.9]:80": "203.0.113.9",
    " \t203.0.113.9 ": "203.0.113.9",
}
NO_ADDRESS = (
    "unknown", "_hidden", "_SEVKISEK:47", "203.0.113", "203.0.113.256", "203.0.113.9:port", "203.0.113.9:123456", "01.2.3.4",
    "203.0.113.9/24", "[2001:db8::1", "2001:db8::1]", "[]:443", "2001:db8::1::2", "1234567890", "localhost", "board.example.org",
    "203.0.113.9;DROP TABLE", "'", "٢٠٣.٠.١١٣.٩", "\x7f", "for=203.0.113.9", "9" * 10_000, "[" * 10_000, ":" * 10_000,
)  # fmt: skip
FORMS = ("admin:login", "login")


def address(header: str | None, peer: str = PEER) -> str:
    headers = {} if header is None else {"x-forwarded-for": header}
    return client_address(RequestFactory().get("/", headers=headers, REMOTE_ADDR=peer))


@pytest.fixture(autouse=True)
def behind_a_proxy(settings):
    settings.NINJA_NUM_PROXIES = 1


@pytest.mark.parametrize("entry", NAMED)
def test_an_address_is_found_in_whatever_form_a_proxy_writes_it(entry):
    assert address(entry) == NAMED[entry]
    assert address(f"10.9.8.7, {entry}") == NAMED[entry]


@pytest.mark.parametrize("entry", NO_ADDRESS, ids=lambda entry: entry[:20])
def test_the_peer_counts_where_a_proxy_names_no_address(entry):
    assert address(entry) == PEER
    assert address(f"203.0.113.9, {entry}") == PEER, "what the sender wrote before it is not believed instead"


@pytest.mark.parametrize("header", [None, "", ",", " , ,", "\t"])
def test_the_peer_counts_where_the_header_is_missing_or_empty(header):
    assert address(header) == PEER


def test_the_header_is_read_only_behind_trusted_proxies_and_from_its_end(settings):
    header = "198.51.100.1, 198.51.100.2,, 198.51.100.3 ,"
    found = []
    for settings.NINJA_NUM_PROXIES in (0, 1, 2, 3, 4):
        found.append(address(header))
    assert found == [PEER, "198.51.100.3", "198.51.100.2", "198.51.100.1", "198.51.100.1"]


@pytest.mark.parametrize("peer", ["", "localhost", "@"])
def test_a_peer_at_a_socket_file_is_on_this_host(peer):
    assert address(None, peer) == "127.0.0.1"
    assert address("203.0.113.9:1", peer) == "203.0.113.9"


@pytest.mark.parametrize("entry", ["203.0.113.9:51234", "[2001:db8::1]:443", "unknown", "fe80::1%eth0", "9" * 10_000])
@pytest.mark.parametrize("form", FORMS)
def test_a_login_counts_by_that_address(client, django_user_model, form, entry):
    django_user_model.objects.create_superuser("boss", password="right")
    words = {"username": "boss", "password": "wrong"}
    assert client.post(reverse(form), words, headers={"x-forwarded-for": entry}, REMOTE_ADDR="").status_code == 200
    assert AccessAttempt.objects.get().ip_address == NAMED.get(entry, "127.0.0.1")
    words["password"] = "right"
    assert client.post(reverse(form), words, headers={"x-forwarded-for": entry}, REMOTE_ADDR="").status_code == 302


def test_the_limit_of_the_api_counts_by_that_address(client, db, settings):
    settings.API_READS_PER_MINUTE = 1
    said = [
        client.get("/api/kernels", headers={"x-forwarded-for": entry}).status_code
        for entry in ("203.0.113.77:1", "203.0.113.77:2")
    ]
    assert said == [200, 429]
