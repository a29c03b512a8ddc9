/* Object inspection: hygiene, not the boundary (that is the stub's filter and the process border).

   Refused are constructors and destructors, sections for a program loader, writable executable sections, an executable stack, symbols that objcopy
   leaves global (GNU unique), no or two definitions of the entry: things that would run before the first call or could not run behind the filter.  A function under another name is a slip that the linker would tell: a
   compile_error.  Thread functions among the undefined symbols are extra_thread, since the author gets a clearer word than from a killed clone.  Reads ELF64 little endian itself: the file comes from a process that ran untrusted input. */
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inspect.h"

static const char *const thread_functions[] = { "pthread_create", "thrd_create", "clone", "__clone", "__clone2", "clone3", "fork", "vfork", "_Fork", "__fork", "__vfork", "posix_spawn",
	"posix_spawnp", "system", "popen", "daemon", "forkpty", "GOMP_parallel" };
static const char *const loader_sections[] = { ".interp", ".dynamic" };      /* the linker makes headers of them that start another program first */
static const char *const constructor_prefixes[] = { ".init", ".fini", ".preinit", ".ctors", ".dtors" };

struct object { const unsigned char *data; size_t size; const Elf64_Ehdr *head; const Elf64_Shdr *sections, *names; size_t count; };

static bool inside(const struct object *o, uint64_t offset, uint64_t size) { return offset <= o->size && size <= o->size - offset; }
/* ending in a zero byte, so that every text in it ends */
static bool is_string_table(const struct object *o, const Elf64_Shdr *s)
{
	return s->sh_type == SHT_STRTAB && s->sh_size > 0 && inside(o, s->sh_offset, s->sh_size) && !o->data[s->sh_offset + s->sh_size - 1];
}
static const char *text_at(const struct object *o, const Elf64_Shdr *strings, uint32_t at)
{
	return at < strings->sh_size ? (const char *)o->data + strings->sh_offset + at : "";
}
/* name@version is the same symbol to the linker; the name's own length, which may be megabytes for each of many symbols, costs nothing */
static bool is_named(const char *symbol, const char *name)
{
	size_t n = strlen(name);
	return !strncmp(symbol, name, n) && (symbol[n] == 0 || symbol[n] == '@');
}
static bool open_object(struct object *o)
{
	o->head = (const Elf64_Ehdr *)o->data;
	if (o->size < sizeof *o->head || memcmp(o->head->e_ident, ELFMAG, SELFMAG) || o->head->e_ident[EI_CLASS] != ELFCLASS64 || o->head->e_ident[EI_DATA] != ELFDATA2LSB || o->head->e_type != ET_REL) return false;
	if (o->head->e_shentsize != sizeof(Elf64_Shdr) || o->head->e_shoff % 8 || !inside(o, o->head->e_shoff, sizeof(Elf64_Shdr))) return false;
	o->sections = (const Elf64_Shdr *)(o->data + o->head->e_shoff);
	o->count = o->head->e_shnum ? o->head->e_shnum : o->sections[0].sh_size;             /* above 0xff00 sections the number stands in the first */
	if (o->count > (o->size - o->head->e_shoff) / sizeof(Elf64_Shdr)) return false;
	uint32_t names = o->head->e_shstrndx == SHN_XINDEX ? o->sections[0].sh_link : o->head->e_shstrndx;
	o->names = names < o->count ? &o->sections[names] : NULL;
	return o->names && is_string_table(o, o->names);
}
static void object_to(struct inspection *r, const char *verdict, const char *format, const char *name)
{
	if (r->verdict) return;                          /* the first finding is the one told */
	r->verdict = verdict;
	snprintf(r->detail, sizeof r->detail, format, name);
}
static void look_at_sections(const struct object *o, struct inspection *r)
{
	for (size_t i = 1; i < o->count; i++) {
		const Elf64_Shdr *s = &o->sections[i];
		const char *name = text_at(o, o->names, s->sh_name);
		bool constructor = s->sh_type == SHT_INIT_ARRAY || s->sh_type == SHT_FINI_ARRAY || s->sh_type == SHT_PREINIT_ARRAY;
		for (size_t k = 0; k < sizeof constructor_prefixes / sizeof *constructor_prefixes; k++) constructor |= !strncmp(name, constructor_prefixes[k], strlen(constructor_prefixes[k]));
		if (constructor) object_to(r, "forbidden", "constructors and destructors are not allowed: section %s", name);
		for (size_t k = 0; k < sizeof loader_sections / sizeof *loader_sections; k++)
			if (!strcmp(name, loader_sections[k])) object_to(r, "forbidden", "a section that changes how the program is started is not allowed: %s", name);
		if ((s->sh_flags & SHF_WRITE) && (s->sh_flags & SHF_EXECINSTR)) object_to(r, "forbidden", "a section that is both writable and executable is not allowed: %s", name);
		if (!strcmp(name, ".note.GNU-stack") && (s->sh_flags & SHF_EXECINSTR)) object_to(r, "forbidden", "needs an executable stack (the address of a nested function is taken)%s", "");
		bool is_linked = (s->sh_flags & SHF_ALLOC) && !(s->sh_flags & SHF_EXCLUDE) && s->sh_type != SHT_NOBITS;
		if (is_linked && __builtin_add_overflow(r->const_bytes, s->sh_size, &r->const_bytes)) r->const_bytes = UINT64_MAX;
	}
}
/* The one table of symbols; NULL: there is none, or there are several, which the format does not allow and each of which would take its time here. */
static const Elf64_Shdr *symbol_table(const struct object *o)
{
	const Elf64_Shdr *found = NULL;
	for (size_t i = 1; i < o->count; i++) {
		const Elf64_Shdr *s = &o->sections[i];
		if (s->sh_type != SHT_SYMTAB) continue;
		if (found || s->sh_link >= o->count || !is_string_table(o, &o->sections[s->sh_link]) || !inside(o, s->sh_offset, s->sh_size) || s->sh_offset % 8) return NULL;
		found = s;
	}
	return found;
}
static void look_at_symbols(const struct object *o, const Elf64_Shdr *symbols, const char *entry, struct inspection *r)
{
	const Elf64_Sym *sym = (const Elf64_Sym *)(o->data + symbols->sh_offset);
	int definitions = 0, other_functions = 0;
	const char *thread = NULL;
	for (size_t k = 1; k < symbols->sh_size / sizeof *sym; k++) {
		const char *name = text_at(o, &o->sections[symbols->sh_link], sym[k].st_name);
		int type = ELF64_ST_TYPE(sym[k].st_info), bind = ELF64_ST_BIND(sym[k].st_info);
		if (bind != STB_LOCAL && bind != STB_GLOBAL && bind != STB_WEAK) object_to(r, "forbidden", "a symbol that cannot be made local is not allowed: %s", name);
		if (sym[k].st_shndx == SHN_UNDEF) {
			for (size_t t = 0; t < sizeof thread_functions / sizeof *thread_functions; t++)
				if (is_named(name, thread_functions[t])) thread = thread_functions[t];
		} else if (is_named(name, entry) && bind != STB_LOCAL) {
			definitions += type == STT_FUNC || type == STT_GNU_IFUNC ? 1 : 2;      /* data under the entry's name is no definition */
		} else if (type == STT_FUNC && bind != STB_LOCAL) {
			other_functions++;
		}
	}
	if (definitions == 0 && other_functions > 0) object_to(r, "compile_error", "does not link: the function %s is not defined", entry);
	if (definitions != 1) object_to(r, "forbidden", "the function %s must be defined once, as a function", entry);
	if (thread) object_to(r, "extra_thread", "threads and processes are not allowed: the code calls %s", thread);
}
void inspect_bytes(const unsigned char *data, size_t size, const char *entry, struct inspection *r)
{
	struct object o = { .data = data, .size = size };
	memset(r, 0, sizeof *r);
	const Elf64_Shdr *symbols = open_object(&o) ? symbol_table(&o) : NULL;
	if (!symbols) {
		object_to(r, "compile_error", "the compiler did not make a relocatable object%s", "");
		return;
	}
	look_at_sections(&o, r);
	look_at_symbols(&o, symbols, entry, r);
}
bool inspect_object(const char *path, const char *entry, struct inspection *r)
{
	FILE *f = fopen(path, "rb");
	if (!f) return false;
	enum { OBJECT_MAX = 64 << 20 };
	unsigned char *data = malloc(OBJECT_MAX);
	size_t size = data ? fread(data, 1, OBJECT_MAX, f) : 0;
	bool is_read = data && !ferror(f);
	fclose(f);
	if (is_read) inspect_bytes(data, size, entry, r);
	free(data);
	return is_read;
}
