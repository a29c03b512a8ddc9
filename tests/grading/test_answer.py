"""From a reply to C: a table of what models write."""

import html
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.answer import AnswerFrom, Extracted, Kind, extract
from grading.extraction.characters import undo_entities

C = "int f(int a)\n{\n\treturn a & 1;\n}"
QUOTED = 'if (a < b && b > *p) s = "x";'
OTHER = "int f(void) { return 2; }"
HELPER = "int g(void) { return 3; }"

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
    # Nothing that is thought is an answer.
    "thoughts before the answer": (f"<think>Hm. <answer>{OTHER}</answer>\n</think>\n<answer>{C}</answer>", C),
    "thoughts after the answer": (f"<answer>{C}</answer>\n<think><answer>{OTHER}</answer></think>", C),
    "thoughts that are not closed, after the answer": (f"<answer>{C}</answer>\n<think>Or <answer>{OTHER}</answer>", C),
    "thoughts of which the prompt held the opening tag": (
        f"Try <answer>{OTHER}</answer>. No.\n</think>\n<answer>{C}</answer>",
        C,
    ),
    "thoughts that name the tag, likewise": (f"I'll use <answer> tags.\n</think>\n<answer>{C}</answer>", C),
    "thoughts in thoughts": (f"<think>a<think>b</think> <answer>{OTHER}</answer></think><answer>{C}</answer>", C),
    "several thoughts": (f"<think>1</think><answer>{C}</answer><think><answer>{OTHER}</answer></think>done", C),
    "thoughts inside of the answer": (f"<answer><think>{OTHER}</think>\n{C}\n</answer>", C),
    "thoughts that name a closing answer": (f"<answer>{HELPER}<think></answer></think>\n{C}</answer>", f"{HELPER}\n{C}"),
    "other words in angle brackets": (f"<thinker> <answer>{C}</answer> </thinker>", C),
    # Of several pairs the last that defines the function.
    "a closing sentence with the tags": (f"<answer>{C}</answer>\nIt is between <answer> and </answer>.", C),
    "a closing sentence with code that defines nothing": (f"<answer>{C}</answer>\nCall it: <answer>f(1);</answer>", C),
    "a prototype later on": (f"<answer>{C}</answer><answer>int f(int a);</answer>", C),
    "a helper later on": (f"<answer>{C}</answer><answer>{HELPER}</answer>", C),
    "a comment later on": (f"<answer>{C}</answer><answer>/* {OTHER} */</answer>", C),
    "nothing defines it: the last": (f"<answer>{HELPER}</answer><answer>int x;</answer>", "int x;"),
    # A tag in a string or a comment is no tag.
    "a closing tag in a comment": (f"<answer>\n/* up to </answer> */\n{C}\n</answer>", f"/* up to </answer> */\n{C}"),
    "a closing tag in a line comment": (f"<answer>\n// up to </answer>\n{C}\n</answer>", f"// up to </answer>\n{C}"),
    "both tags in a comment": (f"<answer>\n// <answer>x</answer>\n{C}\n</answer>", f"// <answer>x</answer>\n{C}"),
    "a closing tag in a string": (f'<answer>\nchar *s = "</answer>";\n{C}\n</answer>', f'char *s = "</answer>";\n{C}'),
    "a quote in a string before it": (f'<answer>char *s = "\\"</answer>"; {C}</answer>', f'char *s = "\\"</answer>"; {C}'),
    "a tag in a raw string": (f'<answer>char *s = R"x(\n</answer>")x"; {C}</answer>', f'char *s = R"x(\n</answer>")x"; {C}'),
    "a tag in a continued comment": (f"<answer>// a \\\n</answer>\n{C}</answer>", f"// a \\\n</answer>\n{C}"),
    "a thought's tag in a comment": (f"<answer>\n// <think> of it\n{C}\n</answer>", f"// <think> of it\n{C}"),
    "the end of a thought in a string": (f'<answer>char *s = "</think>"; {C}</answer>', f'char *s = "</think>"; {C}'),
    "apostrophes of prose": (f"<answer>Here's the code, it's fast:\n```c\n{C}\n```\nDon't you think?</answer>", C),
    "apostrophes of prose around the closing tag": (f"<answer>{C} That's it.</answer> It's fast.", f"{C} That's it."),
    "apostrophes of prose after a fence": (f"<answer>\n```c\n{C}\n```\nIt's fast.</answer> That's all.", C),
    "apostrophes of prose around both tags": (f"It's <answer>{OTHER}</answer> that's it.", OTHER),
    "apostrophes of prose around a thought": (
        f"<answer>It's <think>{HELPER}</think> so that's\n{C}</answer>",
        f"It's  so that's\n{C}",
    ),
    "a line comment before the closing tag": (f"<answer>{C} // done</answer>", f"{C} // done"),
    "a line comment before the closing tag, then a remark": (
        f"<answer>{C} // ok</answer>\nIn <answer> and </answer>.",
        f"{C} // ok",
    ),
    "a glob in prose": (f"<answer>See src/*.c:\n```c\n{C}\n```\n</answer>", C),
    # Fences.
    "a closing fence after the last brace": (f"<answer>\n```c\n{C}```\n</answer>", C),
    "a closing fence after the last brace, then prose": (f"<answer>\n```c\n{C}```\nIt is fast.\n</answer>", C),
    "a closing fence after the last brace, then an end-of-turn token": (f"<answer>```c\n{C}```<|im_end|></answer>", C),
    "a diff after the C": (f"<answer>\n```c\n{C}\n```\n```diff\n-int f() {{\n {OTHER}\n```\n</answer>", C),
    "a diff that is not called one": (f"<answer>\n```c\n{C}\n```\n```\n-int f() {{\n+{OTHER}\n```\n</answer>", C),
    "a diff between later tags": (f"<answer>{C}</answer> was <answer>\n-int f() {{\n+{OTHER}\n</answer>", C),
    "nothing but a diff": (f"<answer>\n```diff\n+{HELPER}\n```\n</answer>", f"+{HELPER}"),
    "a shell block after the C": (f"<answer>\n```c\n{C}\n```\nCompile:\n```bash\ngcc -O3 f.c\n```\n</answer>", C),
    "the output after the C": (f"<answer>\n```c\n{C}\n```\nIt prints\n~~~\nf(1) = 1\n~~~\n</answer>", C),
    "a header before, a test after": (
        f"<answer>\n```c\nint f(int a);\n```\n```c\n{C}\n```\n```c\nint main(void) {{ return f(1); }}\n```\n</answer>",
        C,
    ),
    "no block defines it: the last": (f"<answer>\n```c\n{HELPER}\n```\n```sh\nmake\n```\n</answer>", "make"),
    "a block not closed before the next": (f"<answer>\n```c\n{C}\n```bash\ngcc f.c\n```\n</answer>", C),
    "words behind a closing fence": (f"<answer>\n```c\n{C}\n``` That is all.\n</answer>", C),
    "a block in one line": (f"<answer>```c {OTHER} ```</answer>", OTHER),
    "inline code after the C": (f"<answer>\n```c\n{C}\n```\n```f(1)``` gives 1.\n</answer>", C),
    "a fence in a comment, unfenced": (
        f"<answer>\n/* Use:\n```c\nint f(int a) {{ return 0; }}\n```\n*/\n{C}\n</answer>",
        f"/* Use:\n```c\nint f(int a) {{ return 0; }}\n```\n*/\n{C}",
    ),
    "a fence at the end of a comment, fenced": (f"<answer>\n```c\n// as in ```\n{C}\n```\n</answer>", f"// as in ```\n{C}"),
    "a fence after a last comment": (f"<answer>\n```c\n{C} // end```\nIt's fast.\n</answer>", f"{C} // end"),
    "a closing fence without an opening one, then prose": (f"<answer>\n{C}\n```\nIt is fast.\n</answer>", C),
    # Characters.
    "non-breaking spaces": ("<answer>\u00a0 int\u00a0f(int\u202fa) { return 1; }</answer>", "int f(int a) { return 1; }"),
    "non-breaking spaces in a string": ('<answer>char *s = "\u00a0";\u00a0</answer>', 'char *s = "\u00a0";'),
    "invisible characters": (f"<answer>\u200b{C}\ufeff</answer>", C),
    "an invisible character before a fence": (f"<answer>\u200b```c\n{C}\n\u200b```\n</answer>", C),
    "a byte order mark before a fence": (f"<answer>\ufeff```c\n{C}```\ufeff\n</answer>", C),
    "invisible characters of all kinds": ("<answer>int\u200c f(int\u200d a)\u200e {\u00ad}</answer>", "int f(int a) {}"),
    "end-of-turn tokens of several makers": (f"<answer>{C}\n<eos><|fim_end_0|>\n</answer>", C),
    "an end-of-turn token": (f"<answer>\n{C}\n<|im_end|>\n</answer>", C),
    "two of them, in a fence": (f"<answer>\n```c\n{C}\n<|eot_id|></s>\n```\n</answer>", C),
    "an end-of-turn token after the answer": (f"<answer>{C}</answer><|im_end|>", C),
    "escaped HTML defines, too": (
        f"<answer>{html.escape('int f(int a) { return a < 1; }')}</answer><answer>x</answer>",
        "int f(int a) { return a < 1; }",
    ),
    "CRLF within a comment of several lines": (f"<answer>/* a\r\nb */\r\n{C}</answer>".replace("\n", "\n"), f"/* a\nb */\n{C}"),
}

NOT_FOUND = {
    "an answer only in thoughts": f"<think>\n<answer>{C}</answer>\n</think>",
    "an answer only in thoughts, then a bare fence": f"<think><answer>{C}</answer></think>\n```c\n{C}\n```",
    "thoughts that are cut off": f"<think>\n<answer>{C}</answer>\nHm, wrong, let me think ag",
    "thoughts without their opening tag": f"<answer>{C}</answer>\nThat was a draft.</think>",
    "an answer that a thought cuts off": f"<answer>{C}<think>wait",
    "a cut answer whose comment has both tags": "<answer>\n// <answer> to </answer>\nint f(int a) {",
    "a cut answer with a closing tag in a string": f'<answer>char *s = "</answer>"; {C}',
    "a cut answer with a closing tag in a comment": f"<answer>/* </answer> */ {C}",
    "only an end-of-turn token": "<answer>\n<|im_end|>\n</answer>",
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


DEFINES = {
    "a definition": "int f(int a) { return a; }",
    "on several lines": "static inline\nint\nf (int a,\n   int b)\n{\n}",
    "no parameters": "int f() {}",
    "without a type": "f(a) { return a; }",
    "K&R": "int f(a, b) int a; const char *b; { return a; }",
    "K&R with the name's letters in types": "int f(a, n) const float *a; size_t offset; {}",
    "K&R with a structure of the same name": "int f(a) struct f *a; {}",
    "a definition after apostrophes of prose": "Here's the code: int f(int a) {} That's it.",
    "K&R with function pointers": "int f(a, g) int a; int (*g)(int); {}",
    "an attribute behind": "int f(int a) __attribute__((hot, aligned(64))) {}",
    "several attributes": 'int f(int a) __attribute__((hot)) __asm__("f") {}',
    "an attribute of C23": "int f(int a) [[gnu::hot]] {}",
    "a macro behind": "int f(int a) NOTHROW {}",
    "an attribute before": '__attribute__((target("avx2"))) int f(int a) {}',
    "a name in parentheses": "int (f)(int a) {}",
    "function pointers in the list": "int f(int (*g)(int), void (*h[2])(void)) {}",
    "a function that returns a pointer to one": "int (*f(int a))(int) {}",
    "a function that returns a pointer to one that does": "int (*(*f(int a))(int))(long) {}",
    "a function that returns a constant pointer": "int (*const f(int a))(int) {}",
    "a function that returns a pointer to an array": "int (*f(int a))[4] {}",
    "digraphs": "int f(int a) <% return a; %>",
    "a spliced name": "int \\\nf\\\n(int a) {}",
    "comments in between": "int /* a */ f /* b { */ ( /* c ) */ int a) // d;\n{}",
    "after a prototype": "int f(int a); int f(int a) {}",
    "after a function that calls it": "int f(int); int g(void) { return f(1); } int f(int a) {}",
    "after strings with braces": """char *s = "{", c = '{'; int f(int a) {}""",
    "in a branch": "#ifdef __AVX2__\nint f(int a) {}\n#endif",
    "after branches with a brace each": "#if A\nint g(int a) {\n#else\nint g(long a) {\n#endif\n}\nint f(int a) {}",
    "after extern C, which only C++ sees": '#ifdef __cplusplus\nextern "C" {\n#endif\nint f(int a) {}',
    "after an array": "static const int t[] = {1, 2}; int f(int a) {}",
    "after a macro of several lines": "#define X(a) do { \\\n  g(a); \\\n} while (\nint f(int a) {}",
    "after a directive with a comment of several lines": "#define X /* {\n { */ {\nint f(int a) {}",
    "after a closing brace too many": "} int f(int a) {}",
    "after a raw string": 'char *s = R"({ /* " )"; int f(int a) {}',
}

DEFINES_NOT = {
    "a prototype": "int f(int a);",
    "a prototype with attributes": "int f(int a) __attribute__((hot)); int g(void) {}",
    "a prototype without names": "int f(T, U); int g(void) {}",
    "a prototype among others": "int f(int a), g(int a) {}",
    "a call": "int g(void) { return f(1); }",
    "a call at depth 0": "int x = f(1); struct s {int a;};",
    "a call in a condition": "if (f(1)) { g(); }",
    "a macro": "#define f(a) { a }\nint g(void) {}",
    "a macro of several lines": "#define f(a) \\\n  int f(a) \\\n  { }\n",
    "a comment": "// int f(int a) {}\nint g(void) {}",
    "a comment of several lines": "/*\nint f(int a) {\n}\n*/",
    "a string": 'char *s = "int f(int a) {}";',
    "a longer name": "int f2(int a) {} int af(int a) {} int _f(int a) {}",
    "a parameter": "int g(int f(int)) {}",
    "a pointer": "int (*f)(int a) = g;",
    "a prototype of one that returns a pointer to one": "int (*(*f(int a))(int))(long); int g(void) {}",
    "a changed line": "-int f(int a) {\n+int f(int b) {\n",
    "a nested function": "int g(void) { int f(int a) { return a; } return f(1); }",
    "a structure": "struct f { int a; };",
    "a type": "typedef int f(int a);",
    "a label": "int g(void) { f: goto f; }",
    "an initializer": "int (*t[])(int) = { f };",
    "nothing": "",
}


def answer(reply: str) -> str | None:
    return extract(reply, "f").source


@pytest.mark.parametrize(("reply", "source"), FOUND.values(), ids=FOUND.keys())
def test_the_answer_is_found(reply, source):
    assert answer(reply) == source


@pytest.mark.parametrize("reply", NOT_FOUND.values(), ids=NOT_FOUND.keys())
def test_there_is_no_answer(reply):
    assert extract(reply, "f") == Extracted(None, None)


@pytest.mark.parametrize("text", DEFINES.values(), ids=DEFINES.keys())
def test_what_defines_the_function_is_preferred(text):
    decoy = "<answer>int g(void) { return 2; }</answer>"
    assert extract(f"<answer>\n{text}\n</answer>\n{decoy}", "f") == Extracted(text, AnswerFrom.TEXT)
    assert extract(f"<answer>\n```c\n{text}\n```\n```\nx\n```\n</answer>", "f") == Extracted(text, AnswerFrom.BLOCK)


@pytest.mark.parametrize("text", DEFINES_NOT.values(), ids=DEFINES_NOT.keys())
def test_what_only_names_the_function_is_not_preferred(text):
    assert extract(f"<answer>{C}</answer>\n<answer>\n{text}\n</answer>", "f") == Extracted(C, AnswerFrom.TEXT)
    assert extract(f"<answer>\n```c\n{C}\n```\n```\n{text}\n```\n</answer>", "f") == Extracted(C, AnswerFrom.BLOCK)


def test_the_rule_that_chose_is_told():
    fenced = "\n```c\n{}\n```\n"
    assert extract(f"<answer>{C}</answer>", "f").answer_from == "text"
    assert extract(f"<answer>{fenced.format(C)}</answer>", "f").answer_from == "block"
    assert extract(f"<answer>{HELPER}</answer>", "f").answer_from == "last_text"
    assert extract(f"<answer>{fenced.format(HELPER)}</answer>", "f").answer_from == "last_block"
    assert extract(C, "f", Kind.RAW).answer_from == "raw"
    assert extract(C, "f", Kind.AUTO).answer_from == "raw"
    assert extract("", "f", Kind.RAW).answer_from is None


def test_a_file_of_c_is_c_unless_it_has_answer_tags():
    def read(text):
        return extract(text, "f", Kind.AUTO).source

    assert read(C) == C
    assert read(f"\ufeff{C}\n".replace("\n", "\r\n")) == f"{C}\n"
    assert read(f"<answer>{C}</answer>") == C
    assert read(f"Here's it.\n<answer>{C}</answer>") == C
    assert read(f"<answer>{C}") is None
    assert read(" \n") is None
    for named in (f"// <answer>\n{C}\n// </answer>", f'char *s = "<answer></answer>";\n{C}', f"/* <answer>x</answer> */\n{C}"):
        assert read(named) == named


def test_a_raw_answer_is_c_whatever_is_in_it():
    assert extract("// <answer>&lt;</answer>\r\n```\n", "f", Kind.RAW).source == "// <answer>&lt;</answer>\n```\n"
    assert extract("", "f", Kind.RAW).source is None


REPLIES = Path(__file__).parents[1] / "data" / "replies"
DOT = """float dot_f32(const float *a, const float *b, size_t n) {
    double s = 0;
    for (size_t i = 0; i < n; i++) s += (double)a[i] * b[i];
    return (float)s;
}"""
RECORDED = {
    "r01_closing_remark_pair": "text",
    "r02_closing_remark_ticks": "text",
    "r03_think_decoy_then_cut": None,
    "r05_think_decoy_final_fence_only": None,
    "r08_brace_fence": "block",
    "r09_fence_then_bash": "block",
    "r18_nbsp_indent": "text",
    "r28_eos_inside": "text",
}


@pytest.mark.parametrize(("name", "rule"), RECORDED.items(), ids=RECORDED.keys())
def test_a_recorded_reply_is_read_as_its_writer_meant_it(name, rule):
    found = extract((REPLIES / f"{name}.txt").read_text(encoding="utf-8"), "dot_f32")
    assert found.answer_from == rule
    assert (found.source or "").split() == (DOT.split() if rule else [])


# Each made some draft of a rule look at the rest of the text again and again.
HOSTILE = (
    *("<answer>", "</answer>", "<answer>x</answer>", "<answer>\n// <answer>\n", "// </answer><answer>\n", "<answer></think>"),
    *("<answer>f(){} // </answer> // <answer>\n", '<answer>"</think>"', '<answer>"<think>"\n', "<think></think>", "<think>"),
    *("```c\n", "```c\n/* x```\n```\n", "~~~\n```\n", "x//```\n", "```c\nf(){} // ```\n", "`", "/*", "/*/", "*/"),
    *(
        '"',
        "'",
        '"\\\n',
        'R"a(',
        '"//"/**/',
        "//\\\n",
        "\\  ",
        "f(",
        "f(a,",
        "f(a) int x; ",
        "f() __attribute__((",
        "f()[[",
        "f)(",
    ),
    *(
        "(f)(",
        "(((((f",
        "(*f())",
        "(*",
        "+f(){}",
        "f(a) int f;",
        "f() ",
        "{",
        "}",
        "#if\n",
        "#else\n",
        "&lt;",
        "\u00a0",
        "\u200b",
        "<|im_end|>",
        " ",
    ),
)


def seconds(reply: str) -> float:
    began = time.process_time()
    extract(reply, "f")
    extract(reply, "f", Kind.AUTO)
    return time.process_time() - began


@pytest.mark.parametrize("length", [1 << 17, pytest.param(1 << 21, marks=pytest.mark.slow)])
@pytest.mark.parametrize("unit", HOSTILE, ids=ascii)
def test_a_hostile_reply_is_read_in_linear_time(unit, length):
    for before, after in (
        ("", ""),
        ("<answer>", "*/ </answer>"),
        ("<answer>", "</answer>"),
        ("<answer>\n```c\n", "\n*/```\n</answer>"),
    ):
        small, large = (before + unit * (size // len(unit)) + after for size in (length // 16, length))
        assert seconds(large) < 60 * seconds(small) + 0.2  # 256 times as long, if it were quadratic


MARKUP = [
    "<answer>",
    "</answer>",
    "<think>",
    "</think>",
    "\n```c\n",
    "```",
    "\n",
    "int f(int a) {",
    "}",
    "/*",
    "*/",
    "//",
    '"',
    "'",
    "\\",
]
MARKUP += ["#if\n", "#else\n", "(", ")", "f(", "<|im_end|>", "\u00a0", "&lt;", "x", " ", "~~~", 'R"(']


@given(st.lists(st.sampled_from(MARKUP), max_size=60).map("".join))
def test_any_text_is_read_without_error(text):
    for kind in Kind:
        found = extract(text, "f", kind)
        assert (found.source is None) == (found.answer_from is None)
        assert found.source is None or found.source.strip()


@given(st.lists(st.sampled_from(MARKUP), max_size=60).map("".join))
def test_nothing_thought_is_answered(text):
    secret = text.replace("x", "") + " int f(int a) { secret; } "
    whole = secret.replace("</think>", "").replace("<think>", "")
    for reply in (f"<think>{whole}", f"<think>{whole}</think>", f"{whole}</think>"):
        found = extract(reply, "f").source
        if "<answer>" in reply and '"' not in reply and "'" not in reply and "/" not in reply.replace("</", ""):
            assert found is None


@given(st.sampled_from([*DEFINES.values(), *(value[1] for value in FOUND.values())]))
def test_the_answer_answered_again_is_the_same(source):
    once = answer(f"<answer>\n{source}\n</answer>")
    assert once is not None
    assert answer(f"Some words.\n<answer>\n{once}\n</answer>\nMore words.") == once


@given(st.text(alphabet="ab<>&;\"'(){} \n", min_size=1).filter(lambda text: text.strip() and "<" in text))
def test_escaping_is_undone_exactly_once(text):
    assert undo_entities(html.escape(text)) == text
    assert undo_entities(text) == text
