#!/bin/sh
# Build the trusted parts, once per sandbox.   usage: sh build.sh SOURCES OUT KERNEL...
#   SOURCES holds this folder as harness/, the headers as include/, and a folder for each KERNEL; OUT is made.
# For another architecture: CC, LD, OBJCOPY, MARCH and EMULATED=1 (the judge stays the host's own, children are cross-compiled).
# With SANITIZE=1, for tests: what is ours runs under the address and undefined behaviour sanitizers; what runs beside an answer, on a fixed layout and
# behind its filter, has no room for their runtime, so there undefined behaviour traps.  Nothing measured that way counts.
# Needs gcc, binutils and a shell. Says in one line what is missing.
set -eu
sources=$1 out=$2
shift 2
cc=${CC:-gcc} ld=${LD:-ld} host_cc=${HOST_CC:-$cc} objcopy=${OBJCOPY:-objcopy} emulated=${EMULATED:+-DEMULATED}
for tool in "$cc" "$host_cc" "$objcopy" "$ld"; do
	command -v "$tool" >/dev/null || { echo "build.sh: $tool is not installed" >&2; exit 3; }
done
mkdir -p "$out"
knows() { echo 'int main(void) { return 0; }' | "$cc" "$@" -x c -c -o /dev/null - 2>/dev/null; }
if [ -z "${MARCH:-}" ]; then
	MARCH=-march=native
	knows $MARCH || MARCH=-mcpu=native
	knows $MARCH || { echo "build.sh: $cc knows neither -march=native nor -mcpu=native" >&2; exit 3; }
fi
host_march=$MARCH
[ -z "$emulated" ] || host_march=-march=native

# gcc 14 made these errors; an older one gets them as flags, so that verdicts agree (return-mismatch is new in 14)
errors=
if [ "$("$cc" -dumpversion | cut -d. -f1)" -lt 14 ]; then
	for w in implicit-function-declaration int-conversion incompatible-pointer-types implicit-int return-mismatch; do
		"$cc" -Q --help=warnings 2>/dev/null | grep -q -e "-W$w " && errors="$errors -Werror=$w"
	done
fi
echo "$cc" >"$out/cc"
echo "$objcopy" >"$out/objcopy"
echo "-std=gnu11 -O3 $MARCH -D_GNU_SOURCE$errors" >"$out/flags"
# no link-time optimisation: bytecode in an answer's object would become code that nobody has inspected
echo "-static -no-pie -fno-lto -fno-use-linker-plugin -Wl,-Ttext-segment=0x40000000,-e,stub_entry,-z,norelro,-z,noexecstack" >"$out/link"

h=$sources/harness include="-I $sources/include -I $h" warn="-Wall -Wextra ${WERROR:-}"
host="$host_cc -std=gnu11 -O2 $host_march $warn $include" linked=-static traps=
if [ -n "${SANITIZE:-}" ]; then
	linked="-g -fsanitize=address,undefined -fno-sanitize-recover=all" traps="-fsanitize=undefined -fsanitize-undefined-trap-on-error"
	host="$host $linked"
	# compiled in, since the environment does not reach all of them; a fault is tried on purpose (selftest.c); leaks do not matter in what ends after one answer
	echo 'const char *__asan_default_options(void); const char *__asan_default_options(void) { return "detect_leaks=0:abort_on_error=1:handle_segv=0"; }' >"$out/sanitizers.c"
	$host -c "$out/sanitizers.c" -o "$out/sanitizers.o"
	linked="$linked $out/sanitizers.o"
fi
child="$cc -std=gnu11 -O2 $warn $include -DKERNEL_STUB $emulated -fno-pie -fno-stack-protector -fno-tree-loop-distribute-patterns $traps"
link="$cc $(cat "$out/link")"
mkdir "$out/judge"
for part in judge options clock report children memory buffers stream calls tests first_calls rounds machine; do
	$host -c "$h/$part.c" -o "$out/judge/$part.o"
done
$host $linked "$h/jail.c" -o "$out/jail"
$host $linked "$h/grade.c" "$h/inspect.c" "$h/image.c" "$h/machine.c" -o "$out/grade"
$host $linked "$h/describe.c" "$h/resolution.c" -o "$out/describe"
$host $linked "$h/selftest.c" -o "$out/selftest"
$child -DKERNEL_EMPTY "$h/stub.c" -c -o "$out/empty.o"
$link "$out/empty.o" -o "$out/empty"
$child -c "$h/stub.c" -o "$out/stub.o"
for kernel in "$@"; do
	k=$sources/$kernel
	$host -c "$k/bench.c" -o "$out/bench_$kernel.o"
	$host $linked "$out"/judge/*.o "$out/bench_$kernel.o" -o "$out/judge_$kernel" -lm
	$child -c "$k/bench.c" -o "$out/call_$kernel.o"
	"$ld" -r "$out/stub.o" "$out/call_$kernel.o" -o "$out/child_$kernel.o"
	cat "$sources/include/prelude.h" "$k/reference.c" >"$out/control_$kernel.c"          # what grade.c compiles when an answer does not
	"$cc" $(cat "$out/flags") -fno-pie -c -o "$out/plain_$kernel.o" "$out/control_$kernel.c"
	$link "$out/child_$kernel.o" "$out/plain_$kernel.o" -o "$out/reference_$kernel" -lm
done
rm -rf "$out/judge"
rm -f "$out"/sanitizers.* "$out"/bench_*.o "$out"/call_*.o "$out"/plain_*.o
