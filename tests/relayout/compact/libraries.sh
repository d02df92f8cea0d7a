#!/bin/sh
# Libraries of the system are compacted. python and a C++ program run with the copies, and with what strip and eu-strip make of
# them. libraries.sh COMPACT-FILE
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/relayout/compact/compact-lib.sh"
[ -x /usr/bin/python3 ] || skip "no python3"
build program bfd -DPROGRAM -DFUNCTIONS=100
build library.so bfd -shared -fPIC -DFUNCTIONS=100

# The interpreter as a library, if there is one of the same version.
libpython=$(/usr/bin/python3 -c 'import sysconfig; print(sysconfig.get_config_var("INSTSONAME"))')
cat >"$tmp/python.c" <<'C'
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;

	if (!library)
		return puts("no libpython"), 0;
	((void (*)(void))dlsym(library, "Py_Initialize"))();
	((int (*)(const char *))dlsym(library, "PyRun_SimpleString"))(
		"import json, re\ntry:\n    json.loads('x')\nexcept ValueError as error:\n    print(re.sub('[0-9]', 'n', str(error)))\n"
		"print(sorted({str(i): i ** 20 for i in range(50)}.items())[-1], any('compacted' in l or 'strip' in l for l in open('/proc/self/maps') if 'libpython' in l))");
	return ((int (*)(void))dlsym(library, "Py_FinalizeEx"))();
}
C
cc -o "$tmp/python" "$tmp/python.c" || fail "cannot compile a program that embeds python"

# Libraries that a program would load, by their paths.
needed() {
	LD_TRACE_LOADED_OBJECTS=1 "$1" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p'
}

use() { # FOLDER of copies
	LD_LIBRARY_PATH=$1 "$tmp/program" "$tmp/library.so" 2>&1 || echo "exit $?"
	LD_LIBRARY_PATH=$1 "$tmp/python" "$libpython" 2>&1 | sed 's/ True$/ False/' || echo "exit $?"
	LD_LIBRARY_PATH=$1 /usr/bin/python3 -c '
import ctypes, decimal, hashlib, json, re, ssl, sys, zlib
print(hashlib.sha256(zlib.compress(json.dumps(list(range(1000))).encode())).hexdigest(), hashlib.new("sha3_256", b"x").hexdigest())
print(decimal.Decimal(2).sqrt(), re.sub(r"(\d+)", r"<\1>", "a1b22"), ssl.create_default_context().verify_mode)
for folder in sys.argv[1:]:
    print([line.split()[5].rsplit("/", 1)[1] for line in open("/proc/self/maps") if folder in line].count("libz.so.1") > 0)' \
		${1:+"$1"} 2>&1 || echo "exit $?"
}

mkdir "$tmp/compacted"
seed=1
for library in $(needed "$tmp/program") $(needed /usr/bin/python3) \
	$(ldconfig -p | sed -n 's/^\tlib\(crypto\|ssl\|ffi\)\.so\.[0-9.]* (libc6,\(x86-64\|AArch64\).* => //p') \
	$(ldconfig -p | awk -v name="$libpython" '$1 == name { print $NF; exit }'); do
	compact "$(readlink -f "$library")" "$tmp/compacted/$(basename "$library")" seed=$seed hot=3
	seed=$((seed + 1))
done
[ -e "$tmp/compacted/libc.so.6" ] && [ -e "$tmp/compacted/libstdc++.so.6" ] || fail "not the libraries that were meant"
want=$(use "")

case_programs_do_what_they_did_with_compacted_libraries() {
	[ "$(use "$tmp/compacted" | sed '$d')" = "$want" ] || fail "compacted: $(use "$tmp/compacted")"
	[ "$(use "$tmp/compacted" | tail -1)" = True ] || fail "the copies were not used"
}

case_python_as_a_library_does_what_it_did() {
	[ -e "$tmp/compacted/$libpython" ] || skip "no '$libpython'"
	! echo "$want" | grep -q '^no libpython' || fail "'$libpython' cannot be loaded"
	LD_LIBRARY_PATH=$tmp/compacted "$tmp/python" "$libpython" | grep -q ' True$' ||
		fail "the copy of libpython was not used"
}

case_stripping_compacted_libraries_changes_nothing() {
	for tool in strip eu-strip; do
		have $tool || continue
		cp -r "$tmp/compacted" "$tmp/$tool"
		$tool "$tmp/$tool"/*
		[ "$(use "$tmp/$tool" | sed '$d')" = "$want" ] || fail "compacted, then $tool: $(use "$tmp/$tool")"
	done
}

run_cases
