/* JSON strings from arbitrary bytes: what is not printable ASCII and not valid UTF-8 becomes the replacement character. */
#ifndef JSON_H
#define JSON_H
#include <stddef.h>
#include <stdio.h>

/* Bytes of the valid UTF-8 sequence at s (RFC 3629: no overlong form, no surrogate, nothing above U+10FFFF), or 0. */
static inline size_t utf8_length(const unsigned char *s, size_t n)
{
	unsigned c = s[0];
	size_t k = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
	if (k == 0 || k > n) return 0;
	for (size_t i = 1; i < k; i++)
		if ((s[i] & 0xc0) != 0x80) return 0;
	if ((c == 0xe0 && s[1] < 0xa0) || (c == 0xed && s[1] > 0x9f) || (c == 0xf0 && s[1] < 0x90) || (c == 0xf4 && s[1] > 0x8f)) return 0;
	return k;
}
static inline void json_string(FILE *f, const char *text, size_t n)
{
	const unsigned char *s = (const unsigned char *)text;
	fputc('"', f);
	for (size_t i = 0; i < n;) {
		size_t k = utf8_length(s + i, n - i);
		if (k == 0) { fputs("\\ufffd", f); i++; continue; }
		if (s[i] == '"' || s[i] == '\\') fprintf(f, "\\%c", s[i]);
		else if (s[i] == '\n') fputs("\\n", f);
		else if (s[i] == '\t') fputs("\\t", f);
		else if (s[i] < 0x20 || s[i] == 0x7f) fprintf(f, "\\u%04x", s[i]);
		else fwrite(s + i, 1, k, f);
		i += k;
	}
	fputc('"', f);
}
#endif
