/* A JSON string of any bytes: valid by a reader of its own, and read back it is those bytes, each one that is no UTF-8 a replacement character. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

struct reader { const unsigned char *at, *end; };

/* The code point at s by the table of RFC 3629, bit by bit; its length, or 0 for what is no UTF-8. */
static int decoded(const unsigned char *s, const unsigned char *end, uint32_t *point)
{
	static const struct { unsigned char mask, lead; int length; uint32_t least; } form[] = { { 0x80, 0, 1, 0 }, { 0xe0, 0xc0, 2, 0x80 }, { 0xf0, 0xe0, 3, 0x800 }, { 0xf8, 0xf0, 4, 0x10000 } };
	for (int f = 0; f < 4; f++) {
		if ((*s & form[f].mask) != form[f].lead) continue;
		if (end - s < form[f].length) return 0;
		*point = *s & (unsigned char)~form[f].mask;
		for (int i = 1; i < form[f].length; i++) {
			if ((s[i] & 0xc0) != 0x80) return 0;
			*point = *point << 6 | (s[i] & 0x3f);
		}
		return *point < form[f].least || *point > 0x10ffff || (*point >= 0xd800 && *point < 0xe000) ? 0 : form[f].length;
	}
	return 0;
}
static uint32_t next(struct reader *r)
{
	uint32_t point = 0;
	if (r->at == r->end || *r->at < 0x20 || *r->at == '"' || *r->at == 0x7f) abort();
	if (*r->at != '\\') {
		int length = decoded(r->at, r->end, &point);
		if (!length) abort();
		r->at += length;
		return point;
	}
	if (r->end - r->at < 2) abort();
	unsigned char c = r->at[1];
	r->at += 2;
	if (c == 'n') return '\n';
	if (c == 't') return '\t';
	if (c == '"' || c == '\\') return c;
	if (c != 'u' || r->end - r->at < 4) abort();
	for (int i = 0; i < 4; i++) {
		const char *digits = "0123456789abcdef", *d = r->at[i] ? strchr(digits, r->at[i]) : NULL;
		if (!d) abort();
		point = point << 4 | (uint32_t)(d - digits);
	}
	r->at += 4;
	return point;
}
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);
	if (!f) abort();
	json_string(f, (const char *)data, size);
	fclose(f);
	if (bytes < 2 || text[0] != '"' || text[bytes - 1] != '"') abort();
	struct reader r = { (unsigned char *)text + 1, (unsigned char *)text + bytes - 1 };
	for (const uint8_t *s = data; s < data + size;) {
		uint32_t point;
		int length = decoded(s, data + size, &point);
		if (next(&r) != (length ? point : 0xfffd)) abort();
		s += length ? length : 1;
	}
	if (r.at != r.end) abort();
	free(text);
	return 0;
}
