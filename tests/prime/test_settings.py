"""Settings from the environment, and what is said to and by the shell inside."""

import pytest

from grading.faults import SandboxGone, SandboxUnavailable
from grading.sandbox.checkout import as_label, checkout_id
from grading.sandbox.prime.errors import Hiccup
from grading.sandbox.prime.places import gcc_of
from grading.sandbox.prime.sandbox import why_unavailable
from grading.sandbox.prime.script import parse_look, parse_run
from grading.sandbox.prime.settings import PrimeSettings, is_loopback, read_settings


def test_the_defaults_are_those_of_the_documentation(surroundings, monkeypatch):
    monkeypatch.delenv("PRIME_IMAGE", raising=False)
    asked = PrimeSettings(image="gcc:14", cpu_cores=2, memory_gb=4, disk_gb=5, idle_minutes=20)
    assert read_settings() == asked


def test_every_setting_can_be_changed(surroundings, monkeypatch):
    values = {"IMAGE": "gcc:15", "CPU": "4", "MEMORY_GB": "7.5", "DISK_GB": "9", "IDLE_MINUTES": "30"}
    for name, value in values.items():
        monkeypatch.setenv(f"PRIME_{name}", value)
    changed = PrimeSettings(image="gcc:15", cpu_cores=4, memory_gb=7.5, disk_gb=9, idle_minutes=30)
    assert read_settings() == changed
    assert changed.generation != PrimeSettings().generation


@pytest.mark.parametrize("value", ["two", "0", "-1", "nan", "inf"])
def test_a_number_that_cannot_be_names_its_variable(double, monkeypatch, value):
    monkeypatch.setenv("PRIME_CPU", value)
    with pytest.raises(SandboxUnavailable, match="PRIME_CPU must be a positive number"):
        read_settings()
    assert "PRIME_CPU" in why_unavailable("amd64")


def test_a_profile_that_does_not_exist_is_named(double, monkeypatch):
    monkeypatch.setenv("PRIME_CONTEXT", "nowhere")
    assert "nowhere" in why_unavailable("amd64")


@pytest.mark.parametrize(
    ("image", "major"),
    [
        ("gcc:14", "14"),
        ("gcc:14.2-bookworm", "14"),
        ("docker.io/library/gcc:14@sha256:00", "14"),
        ("gcc", None),
        ("gcc:latest", None),
        ("team/mygcc:14", None),
        ("debian:13", None),
    ],
)
def test_an_image_of_the_gcc_line_promises_its_version(image, major):
    assert gcc_of(image) == major


@pytest.mark.parametrize(
    ("url", "is_double"),
    [
        ("http://127.0.0.1:8090", True),
        ("http://localhost", True),
        ("http://[::1]:80", True),
        ("https://api.primeintellect.ai", False),
        ("http://10.0.0.1", False),
    ],
)
def test_a_service_on_this_host_is_a_double(url, is_double):
    assert is_loopback(url) is is_double


def test_labels_have_only_plain_characters(surroundings):
    assert as_label("Lab 3, Groß/Haus") == "lab-3-gro-haus"
    assert as_label("") == "x"
    assert "-" not in checkout_id()  # the slot's name begins with it, up to the first "-"


@pytest.mark.parametrize("printed", ["", "aGk=\n", "aGk=\n\n", "aGk=\n\nrc", "!\n\nrc=0", "aGk=\n\nrc=x", "a\nb\nc\nrc=0"])
def test_an_answer_cut_short_is_a_fault_and_no_result(printed):
    with pytest.raises(Hiccup):
        parse_run(printed)


@pytest.mark.parametrize("status", ["", "full"])
def test_a_status_that_found_no_room_on_the_disk_is_a_fault(status):
    with pytest.raises(SandboxGone, match=r"disk .* full"):
        parse_run(f"\n\nrc={status}\n")


def test_a_look_cut_short_is_a_fault():
    with pytest.raises(Hiccup):
        parse_look("machine=x86_64\n")
    assert parse_look("machine=x86_64\nmissing=ld\nmissing=sh\nrc=0\n") == {"machine": ["x86_64"], "missing": ["ld", "sh"]}
