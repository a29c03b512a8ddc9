"""The first error of a compile log is the detail that the answer's author reads."""

import pytest

from grading.compile_log import first_error


@pytest.mark.parametrize(
    ("log", "sentence"),
    [
        (
            "answer.c: In function:\nanswer.c:7:64: error: no function 'foo' [-Werror=x]\nanswer.c:9:2: error: x",
            "Does not compile: line 7: no function 'foo'",
        ),
        ("answer.c:1:1: warning: unused\nanswer.c:2:5: fatal error: foo.h: No such file", "line 2: foo.h: No such file"),
        ("answer.c: Assembler messages:\nanswer.c:3: Error: no such instruction: `fmla v0'", "line 3: no such instruction"),
        ("In file included from answer.c:1:\n/usr/include/x.h:10:2: error: #error no", "/usr/include/x.h, line 10: #error no"),
        ("ld: answer.o: in function `f':\nanswer.c:(.text+0x5): undefined reference to `dgemm_'", "Does not link: dgemm_ is not"),
        ("answer.c:1:1: error: " + "x" * 5000, "x…"),
    ],
)
def test_the_first_error_is_told_with_its_line(log: str, sentence: str) -> None:
    found = first_error(log)
    assert found is not None
    assert sentence in found
    assert len(found) < 300
    assert found.endswith(".")


@pytest.mark.parametrize("log", ["", "answer.c:1:1: warning: unused", "cc1: some warnings being treated as errors"])
def test_a_log_without_an_error_in_a_line_says_nothing(log: str) -> None:
    assert first_error(log) is None
