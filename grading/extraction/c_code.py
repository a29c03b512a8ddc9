"""What a C text defines, told without a compiler: the text may be a draft, prose, or hostile."""

from __future__ import annotations

import re

from grading.extraction.lexer import Lexer

SPLICE = re.compile(r"\\[ \t]*\n")
DIRECTIVE = re.compile(r"^[ \t\f\v]*(?:#|%:)[ \t]*(?P<word>\w*)[^\n]*", re.MULTILINE)
IF, ELSE, ENDIF = "\1", "\2", "\3"  # what is left of the directives that choose between texts
MARKS = {"if": IF, "ifdef": IF, "ifndef": IF, "else": ELSE, "elif": ELSE, "elifdef": ELSE, "elifndef": ELSE, "endif": ENDIF}
CONTROL = re.compile("[\1-\3]")

BLANK = r"[\s\1-\3]"
PARENTHESES = r"\((?:[^()]++|\((?:[^()]++|\((?:[^()]++|\([^()]*+\))*+\))*+\))*+\)"
ATTRIBUTE = re.compile(
    rf"""{BLANK}++
    | \[\[(?:[^\[\]]++|\[[^\[\]]*+\])*+\]\]
    | (?:__attribute__|__attribute|__asm__|__asm|asm|[A-Z_][A-Z0-9_]*)(?![\w$]){BLANK}*+(?:{PARENTHESES})?""",
    re.VERBOSE,
)
SUFFIX = re.compile(rf"(?:{BLANK}*+(?:{PARENTHESES}|\[[^\[\]]*+\]))++")  # of a function that returns a pointer to another
NAMES = re.compile(rf"{BLANK}*+[^\W\d]\w*+(?:{BLANK}*+,{BLANK}*+[^\W\d]\w*+)*+{BLANK}*+")
DECLARATIONS = re.compile(rf"(?:{BLANK}*+[^\W\d]\w*+(?:{BLANK}|\*)[^;{{}}=]*+;)++{BLANK}*+(?:\{{|<%)")
POINTER = re.compile(rf"\((?:\w|{BLANK}|\*)*+\Z")
DECLARATOR_LENGTH = 200
ATTRIBUTES_LENGTH, DECLARATIONS_LENGTH = 2000, 4000  # characters that are looked at: nobody writes more


def defines(text: str, name: str) -> bool:
    """Whether the text defines the function: after comments, strings and preprocessor lines are blanked, at brace depth 0, its
    name, a parenthesised list, then attributes or K&R declarations, then `{`."""
    if "(" not in text or (name not in text and not SPLICE.search(text)):
        return False
    return _Definitions(code_only(text), name).found()


def code_only(text: str) -> str:
    """Comments become a blank, literals become "", preprocessor lines a blank, or a mark where they choose between texts."""
    text = SPLICE.sub("", CONTROL.sub(" ", text))
    parts, position = list[str](), 0
    for span in Lexer(text).spans():
        parts += (text[position : span.start], " " if span.kind in ("//", "/*") else '""')
        position = span.end
    parts.append(text[position:])
    return DIRECTIVE.sub(lambda line: MARKS.get(line["word"], " "), "".join(parts))


class _Definitions:
    """One pass over the code of a text."""

    def __init__(self, code: str, name: str) -> None:
        self.code, self.name = code, name
        word = rf"(?<![\w$]){re.escape(name)}(?![\w$])"
        self.list_opens = re.compile(rf"{word}{BLANK}*+\(")
        self.signs = re.compile(
            rf'(?P<name>{word})(?P<list>(?:{BLANK}*+\)){{0,3}}+{BLANK}*+\()|[{{}}();\1-\3]|<%|%>|(?<![\w$])extern\s*+""\s*+(?:\{{|<%)'
        )
        self.depth = 0  # of braces
        self.parentheses = 0  # outside of braces
        self.lists: list[
            tuple[int, int, int]
        ] = []  # of the name, not yet closed: depth, where the name is, where the list begins

    def found(self) -> bool:
        branches = list[int]()
        for sign in self.signs.finditer(self.code):
            match sign[0]:
                case "{" | "<%":
                    self._statement_ends()
                    self.depth += 1
                case "}" | "%>":
                    self._statement_ends()
                    self.depth = max(0, self.depth - 1)
                case "\1":
                    branches.append(self.depth)
                case "\2" if branches:  # either text is compiled, never both
                    self.depth = branches[-1]
                case "\3" if branches:
                    branches.pop()
                case _ if self.depth:
                    pass
                case ";":
                    self._statement_ends()
                case "(":
                    self.parentheses += 1
                case ")":
                    if self._list_ends(sign.end()):
                        return True
                case _ if sign["name"]:
                    self._list_begins(sign)
        return False  # what is left is extern "C" {, which C++ alone sees: it is no depth

    def _statement_ends(self) -> None:
        self.lists.clear()
        self.parentheses = 0

    def _list_begins(self, sign: re.Match[str]) -> None:
        closed = sign["list"].count(")")  # float (f)(int)
        self.parentheses -= closed
        if self._is_wrapped(sign.start(), closed):
            self.lists.append((self.parentheses, sign.start(), sign.end()))
        self.parentheses += 1

    def _is_wrapped(self, position: int, times: int) -> bool:
        for _ in range(times):
            position = self._before(position)
            if position < 0 or self.code[position] != "(":
                return False
        return True

    def _before(self, position: int) -> int:
        """Where the last sign before `position` stands that is not blank."""
        position -= 1
        while position >= 0 and (self.code[position].isspace() or self.code[position] in "\1\2\3"):
            position -= 1
        return position

    def _list_ends(self, end: int) -> bool:
        self.parentheses -= 1
        while self.lists and self.lists[-1][0] > self.parentheses:
            self.lists.pop()
        if not self.lists or self.lists[-1][0] != self.parentheses:
            return False
        _, name, begin = self.lists.pop()
        return self._body_follows(end, name, begin)

    def _body_follows(self, end: int, name: int, begin: int) -> bool:
        code = self.code
        if NAMES.fullmatch(code, begin, min(end - 1, begin + ATTRIBUTES_LENGTH)) and end - begin < ATTRIBUTES_LENGTH:
            next_list = self.list_opens.search(code, end, end + DECLARATIONS_LENGTH)
            if DECLARATIONS.match(code, end, next_list.start() if next_list else end + DECLARATIONS_LENGTH):
                return True
        position, opening = self._after_attributes(end), name
        while code.startswith(")", position) and (opening := self._pointer_begins(opening)) >= 0:
            suffix = SUFFIX.match(code, position + 1, position + ATTRIBUTES_LENGTH)
            if not suffix:
                break
            position = self._after_attributes(suffix.end())
        return code.startswith(("{", "<%"), position) and not self._is_line_of_diff(name)

    def _pointer_begins(self, end: int) -> int:
        """Where the parenthesis of (*name, (** const name or (*(*name)(int) stands; -1 where there is none."""
        begin = max(0, end - DECLARATOR_LENGTH)
        found = POINTER.search(self.code[begin:end])
        return begin + found.start() if found and "*" in found[0] else -1

    def _is_line_of_diff(self, name: int) -> bool:
        """Whether a line is one of a diff: no line of C outside of braces begins with a sign and defines a function."""
        newline = self.code.rfind("\n", max(0, name - ATTRIBUTES_LENGTH), name)
        return self.code.startswith(("+", "-"), newline + 1)

    def _after_attributes(self, position: int) -> int:
        limit = position + ATTRIBUTES_LENGTH
        while found := ATTRIBUTE.match(self.code, position, limit):
            position = found.end()
        return position
