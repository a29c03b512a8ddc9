"""What the service does wrong is a fault of the right kind, and never a verdict."""

from contextlib import suppress

import pytest

from grading.faults import Fault, SandboxGone, SandboxUnavailable
from grading.sandbox.prime.sandbox import PrimeSandbox, check, why_unavailable

OPERATORS = {"401": "PRIME_API_KEY", "402": "credit", "403": "PRIME_API_KEY", "422": "PRIME_IMAGE"}
FOR_EVER = 1000


@pytest.mark.parametrize("call", ["list", "create", "status", "auth"])
@pytest.mark.parametrize("status", OPERATORS)
def test_what_only_an_operator_can_mend_parks(prime, double, call, status):
    double.troubles.plan(call, status, times=FOR_EVER)
    with pytest.raises(SandboxUnavailable, match=OPERATORS[status]) as caught:
        prime.run(["true"], 10)
    assert caught.value.needs_operator
    assert status in caught.value.reason
    assert "\n" not in caught.value.reason


@pytest.mark.parametrize("status", OPERATORS)
def test_an_upload_refused_for_the_operators_reason_parks(prime, double, status):
    double.troubles.plan("upload", status, times=FOR_EVER)
    prime.put("large", bytes(100_000))
    with pytest.raises(SandboxUnavailable, match=OPERATORS[status]):
        prime.run(["true"], 10)


@pytest.mark.parametrize("status", ["401", "403"])
def test_a_command_refused_for_the_operators_reason_parks(prime, double, status):
    double.troubles.plan("execute", status, times=FOR_EVER, after=2)
    with pytest.raises(SandboxUnavailable, match=OPERATORS[status]):
        prime.run(["true"], 10)


def test_it_goes_on_by_itself_once_the_key_is_right(prime, double):
    right, double.keys = double.keys, frozenset({"another"})
    with pytest.raises(SandboxUnavailable, match="PRIME_API_KEY"):
        prime.run(["true"], 10)
    double.keys = right
    assert prime.run(["true"], 10).exit_code == 0


@pytest.mark.parametrize("what", ["429", "500", "503", "drop", "lost"])
@pytest.mark.parametrize("call", ["create", "auth", "upload", "execute"])
def test_what_passes_soon_is_not_even_a_fault(prime, double, call, what):
    double.troubles.plan(call, what, after=2 if call == "execute" else 0)
    prime.put("large", bytes(100_000))
    assert prime.run(["wc", "-c", "large"], 10).stdout == b"100000 large\n"
    assert len(double.running) == 1


@pytest.mark.parametrize(
    ("call", "what"),
    [(call, what) for call in ("create", "execute") for what in ("429", "500", "503", "drop", "garble")]
    + [("execute", "402"), ("execute", "422")],  # of these the client says nothing: the next create does
)
def test_what_does_not_pass_is_a_fault_and_the_next_sandbox_a_fresh_one(prime, double, call, what):
    double.troubles.plan(call, what, times=FOR_EVER, after=2 if call == "execute" else 0)
    with pytest.raises(SandboxGone) as caught:
        prime.run(["true"], 10)
    assert not caught.value.needs_operator
    assert double.running == []
    double.troubles.clear()
    assert prime.run(["true"], 10).exit_code == 0


@pytest.mark.parametrize("after", range(4))
def test_a_sandbox_that_vanishes_before_any_command_is_a_passing_fault(prime, double, after):
    """While it is looked for, looked at, or used: the client's own echo, our look, two commands."""
    double.troubles.plan("execute", "vanish", after=after)
    with suppress(SandboxGone):
        prime.run(["true"], 10)
        prime.run(["true"], 10)
    assert prime.run(["echo", "hi"], 10).stdout == b"hi\n"


def test_a_sandbox_that_dies_while_a_command_runs_is_a_passing_fault(prime, double):
    import threading

    prime.run(["true"], 10)
    threading.Timer(0.5, double.vanish, [prime.place.id]).start()
    with pytest.raises(SandboxGone):
        prime.run(["sleep", "60"], 90)
    assert prime.run(["true"], 10).exit_code == 0


@pytest.mark.parametrize(("what", "kind"), [("error", SandboxGone), ("pending", SandboxGone), ("image", SandboxUnavailable)])
def test_a_sandbox_that_does_not_start_is_a_fault(prime, double, what, kind):
    double.troubles.plan("create", what)
    with pytest.raises(kind) as caught:
        prime.run(["true"], 10)
    assert type(caught.value).needs_operator == (kind is SandboxUnavailable)
    assert double.running == []
    assert prime.run(["true"], 10).exit_code == 0  # a fresh one


@pytest.mark.parametrize(
    ("flaw", "reason"),
    [("machine", "amd64 a riscv64 machine"), ("compiler", "a gcc that does not run"), ("disk", "disk .* is full")],
)
def test_a_sandbox_that_is_not_what_it_should_be_is_a_fault(prime, double, flaw, reason):
    double.flaws = {flaw}
    with pytest.raises(Fault, match=reason) as caught:
        prime.run(["true"], 10)
    assert caught.value.needs_operator == (flaw != "disk")
    assert double.running == []
    double.flaws = set()
    assert prime.run(["true"], 10).exit_code == 0


def test_another_compiler_than_the_images_is_a_fault(double, open_prime, monkeypatch):
    monkeypatch.setenv("PRIME_IMAGE", "gcc:99")
    with pytest.raises(SandboxUnavailable, match=r"the image gcc:99 has gcc .*: look at PRIME_IMAGE"):
        open_prime().run(["true"], 10)


def test_without_a_key_the_variable_is_named(double, monkeypatch):
    monkeypatch.delenv("PRIME_API_KEY")
    assert why_unavailable("arm64") == "PRIME_API_KEY is not set: put the key of your Prime account there and restart"
    with pytest.raises(SandboxUnavailable, match="PRIME_API_KEY is not set"):
        PrimeSandbox("arm64")
    assert double.count() == 0


def test_without_the_package_its_name_is_said(double, monkeypatch):
    monkeypatch.setattr("grading.sandbox.prime.sandbox.find_spec", lambda name: None)
    assert "prime-sandboxes" in why_unavailable("arm64")


def test_a_check_asks_the_service(double):
    assert check("arm64") is None
    double.keys = frozenset()
    assert "PRIME_API_KEY" in check("arm64")
    assert double.made == 0
