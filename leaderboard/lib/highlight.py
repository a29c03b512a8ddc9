"""C source as HTML: pygments' classes, one element per line, no inline style."""

from __future__ import annotations

from html import escape

from django.utils.safestring import SafeString, mark_safe
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CLexer

HIGHLIGHTED_CHARACTERS = 65_536  # pygments needs a second for 200 kB; longer sources are shown plain


def highlight_c(source: str, prefix: str = "L") -> SafeString:
    """One `<span class="l" id="L12">` a line; the numbers are the style sheet's, so that copied code has none."""
    text = source.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
    if len(text) <= HIGHLIGHTED_CHARACTERS:
        lexer = CLexer(stripnl=False, ensurenl=False)
        text = highlight(text, lexer, HtmlFormatter(nowrap=True))  # closes and reopens its elements at line ends
    else:
        text = escape(text)
    lines = text.rstrip("\n").split("\n")
    return mark_safe("".join(f'<span class="l" id="{prefix}{i}">{line}</span>' for i, line in enumerate(lines, 1)))
