"""What a record says of its isolation."""

import pytest

from grading.isolation import NO_OUTER, is_open, isolation_of

LANDLOCK, NAMESPACE, SECCOMP = "landlock", "mount_namespace", "seccomp"


@pytest.mark.parametrize(
    ("outer", "compiler", "answer", "said"),
    [
        ("bubblewrap", {LANDLOCK, SECCOMP}, {LANDLOCK, SECCOMP}, "bubblewrap, landlock, seccomp, resource limits"),
        ("bubblewrap", {LANDLOCK, SECCOMP}, None, "bubblewrap, landlock, seccomp, resource limits"),
        ("bubblewrap", set(), set(), "bubblewrap, resource limits"),
        ("", {NAMESPACE, SECCOMP}, None, "no outer sandbox, mount namespace, seccomp, resource limits"),
        ("", {NAMESPACE, SECCOMP}, {SECCOMP}, "no outer sandbox, mount namespace (compiler), seccomp, resource limits"),
        ("", {SECCOMP}, {SECCOMP}, "no outer sandbox, no file isolation, seccomp, resource limits"),
        ("", {SECCOMP}, None, "no outer sandbox, no file isolation, seccomp, resource limits"),
        ("", {NAMESPACE}, set(), "no outer sandbox, no file isolation, mount namespace (compiler), resource limits"),
        ("", set(), set(), "no outer sandbox, no file isolation, resource limits"),
    ],
)
def test_walls_are_named_from_outside_to_inside(outer, compiler, answer, said):
    assert isolation_of(outer or NO_OUTER, walled=bool(outer), compiler=compiler, answer=answer) == said


def test_files_are_open_where_one_of_the_two_has_no_wall():
    assert not is_open(walled=True, compiler=set(), answer=set())
    assert not is_open(walled=False, compiler={NAMESPACE}, answer={SECCOMP})
    assert not is_open(walled=False, compiler={LANDLOCK}, answer=None)
    assert is_open(walled=False, compiler={SECCOMP}, answer=None)
    assert is_open(walled=False, compiler={LANDLOCK}, answer=set())
