"""From a reply to C: a table of what models write."""

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.answer import clean_source, extract_source, source_from_text, undo_entities

C = "int f(int a)\n{\n\treturn a & 1;\n}"
QUOTED = 'if (a < b && b > *p) s = "x";'
OTHER = "int g(void) { return 2; }"

FOUND = {
    "bare C between the tags": (f"<answer>\n{C}\n</answer>", C),
    "prose around it": (f"Here you are:\n<answer>{C}</answer>\nGood luck!", C),
    "on the tags' own line": (f"<answer>{OTHER}</answer>", OTHER),
    "the last of two answers": (f"<answer>{C}</answer> Better: <answer>{OTHER}</answer>", OTHER),
    "the last that is not empty": (f"<answer>{C}</answer>\nI put it in <answer></answer> tags.", C),
    "the last that is not blank": (f"<answer>{C}</answer><answer> \n\t </answer>", C),
    "the last that is not only an empty fence": (f"<answer>{C}</answer><answer>\n```c\n```\n</answer>", C),
    "a tag that prose mentions": (f"I will use the <answer> tag.\n<answer>{C}</answer>", C),
    "a closing tag that prose mentions": (f"It ends with </answer>.\n<answer>{C}</answer>", C),
    "an unclosed answer after a complete one": (f"<answer>{C}</answer>\n<answer>{OTHER}", C),
    "tags in the reasoning, then the answer": (f"<think><answer>{OTHER}</answer></think>\n<answer>{C}</answer>", C),
    "an answer only in the reasoning": (f"<think>\n<answer>{C}</answer>\n</think>", C),
    "a fence inside": (f"<answer>\n```c\n{C}\n```\n</answer>", C),
    "a fence without a language": (f"<answer>\n```\n{C}\n```\n</answer>", C),
    "a fence directly at the tag": (f"<answer>```c\n{C}\n```</answer>", C),
    "a fence with a longer info string": (f'<answer>\n``` C title="fast.c" {{.numberLines}}\n{C}\n```\n</answer>', C),
    "a fence of tildes": (f"<answer>\n~~~c\n{C}\n~~~\n</answer>", C),
    "tildes that hold backticks": (f"<answer>\n~~~\n// ```\n{C}\n~~~\n</answer>", f"// ```\n{C}"),
    "an indented fence": (f"<answer>\n   ```c\n{C}\n   ```\n</answer>", C),
    "a fence indented as in a list": (f"<answer>\n1. this:\n\n      ```c\n{C}\n      ```\n</answer>", C),
    "the last of two fences": (f"<answer>\n```c\n{C}\n```\nor\n```c\n{OTHER}\n```\n</answer>", OTHER),
    "a trailing empty fence": (f"<answer>\n```c\n{C}\n```\n\n```\n```\n</answer>", C),
    "a trailing lone fence": (f"<answer>\n```c\n{C}\n```\n```\n</answer>", C),
    "a fence that is never closed": (f"<answer>\n```c\n{C}\n</answer>", C),
    "a fence closed by a longer one": (f"<answer>\n```c\n{C}\n`````\n</answer>", C),
    "only a closing fence": (f"<answer>\n{C}\n```\n</answer>", C),
    "a fence in a longer fence": (f"<answer>\n````md\nThe code:\n```c\n{C}\n```\n````\n</answer>", C),
    "prose around the fence, inside the tags": (f"<answer>The code:\n```c\n{C}\n```\nIt is fast.\n</answer>", C),
    "a fence around the tags": (f"```c\n<answer>\n{C}\n</answer>\n```", C),
    "a fence opened before the tag and closed inside": (f"```c\n<answer>\n{C}\n```\n</answer>", C),
    "backticks in a comment": (f"<answer>\n/* see `f` and ``` */\n{C}\n</answer>", f"/* see `f` and ``` */\n{C}"),
    "CRLF": (f"<answer>\n{C}\n</answer>".replace("\n", "\r\n"), C),
    "CRLF around fences": (f"<answer>\n```c\n{C}\n```\n</answer>".replace("\n", "\r\n"), C),
    "a byte order mark before the reply": (f"\ufeff<answer>{C}</answer>", C),
    "a byte order mark before the C": (f"<answer>\ufeff{C}</answer>", C),
    "a byte order mark in the fence": (f"<answer>\n```c\n\ufeff{C}\n```\n</answer>", C),
    "escaped HTML": (f"<answer>{html.escape(QUOTED)}</answer>", QUOTED),
    "escaped HTML in a fence": ("<answer>\n```c\n#include &lt;stdio.h&gt;\n```\n</answer>", "#include <stdio.h>"),
    "numeric entities": ("<answer>a &#60; b &#x26;&#38; c</answer>", "a < b && c"),
    "a non-breaking space": ("<answer>int&nbsp;a;</answer>", "int a;"),
    "one layer of escaping only": ("<answer>puts(&quot;&amp;lt;&quot;);</answer>", 'puts("&lt;");'),
    "an entity in C that has a raw <": ('<answer>if (a < b) s = "&lt;";</answer>', 'if (a < b) s = "&lt;";'),
    "an entity in C that has a raw &": ('<answer>t = a & b; s = "&amp;";</answer>', 't = a & b; s = "&amp;";'),
    "C without entities": ("<answer>x = a & b && c;</answer>", "x = a & b && c;"),
    "other text that looks like an entity": ("<answer>x = &copy;</answer>", "x = &copy;"),
    "uppercase tags inside prose do not count": (f"<ANSWER>no</ANSWER><answer>{C}</answer>", C),
    "not C at all": ("<answer>I do not know.</answer>", "I do not know."),
    "non-ASCII text": ("<answer>// schnell: \u00fc \u4e2d\nint a;</answer>", "// schnell: \u00fc \u4e2d\nint a;"),
    "a NUL": ("<answer>int a;\0</answer>", "int a;\0"),
}

NOT_FOUND = {
    "an empty reply": "",
    "no tags": f"```c\n{C}\n```",
    "no closing tag": f"<answer>\n{C}\n",
    "no opening tag": f"{C}\n</answer>",
    "the wrong way round": f"</answer>{C}<answer>",
    "only empty answers": "<answer></answer> <answer>\n</answer>",
    "only an empty fence": "<answer>\n```c\n\n```\n</answer>",
    "only a lone fence": "<answer>\n```\n</answer>",
    "only a byte order mark": "<answer>\ufeff</answer>",
    "uppercase tags": f"<ANSWER>{C}</ANSWER>",
    "a tag with an attribute": f'<answer lang="c">{C}</answer>',
    "escaped tags": f"&lt;answer&gt;{C}&lt;/answer&gt;",
}


@pytest.mark.parametrize(("reply", "source"), FOUND.values(), ids=FOUND.keys())
def test_the_answer_is_found(reply, source):
    assert extract_source(reply) == source


@pytest.mark.parametrize("reply", NOT_FOUND.values(), ids=NOT_FOUND.keys())
def test_there_is_no_answer(reply):
    assert extract_source(reply) is None


def test_a_file_of_c_is_c_unless_it_has_answer_tags():
    assert source_from_text(C) == C
    assert source_from_text(f"\ufeff{C}\n".replace("\n", "\r\n")) == f"{C}\n"
    assert source_from_text(f"<answer>{C}</answer>") == C
    assert source_from_text(f"<answer>{C}") is None
    assert source_from_text(" \n") is None


def test_a_raw_answer_is_c_whatever_is_in_it():
    assert clean_source("// <answer>&lt;</answer>\r\n```\n") == "// <answer>&lt;</answer>\n```\n"
    assert clean_source("") is None


def test_a_reply_of_megabytes_is_read_in_linear_time():
    reply = "<answer>" * 200_000 + C + "</answer>" * 200_000 + "```\n" * 100_000
    assert extract_source(reply) == C
    assert extract_source("<answer>" + "```c\n" * 200_000 + C + "</answer>")


@given(st.text(alphabet="<>/answer`~&;lt#x01 \n\r\ufeff", max_size=200))
def test_any_text_is_read_without_error(text):
    for read in (extract_source, clean_source, source_from_text):
        source = read(text)
        assert source is None or source.strip()


@given(st.text(alphabet="ab<>&;\"'(){} \n", min_size=1).filter(lambda text: text.strip() and "<" in text))
def test_escaping_is_undone_exactly_once(text):
    assert undo_entities(html.escape(text)) == text
    assert undo_entities(text) == text
