#!/bin/sh
# Programs of several kinds are compacted, with other hot pages each time. They run, also stripped.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/relayout/compact/compact-lib.sh"

build library.so bfd -DFUNCTIONS=100 -shared -fPIC
run_as() { run "$1" "$tmp/library.so"; }
build program bfd -DFUNCTIONS=100 -DPROGRAM -fPIE -pie
want=$(run_as "$tmp/program")

runs_compacted() { # KIND ARGS…
	kind=$1
	shift
	build "$kind" bfd -DFUNCTIONS=100 -DPROGRAM "$@"
	for seed in 3 4; do
		compact "$tmp/$kind" "$tmp/compacted-$kind" seed=$seed hot=$((seed * 10))
		[ "$(run_as "$tmp/compacted-$kind")" = "$want" ] || fail "$kind: $(run_as "$tmp/compacted-$kind")"
		check_strip "$tmp/compacted-$kind"
	done
}

case_executable_at_a_fixed_address() { runs_compacted exec -no-pie; }
case_file_in_one_piece() { runs_compacted one-piece -fPIE -pie -Wl,-z,noseparate-code; }
case_pages_of_64_kib() { runs_compacted 64k -fPIE -pie -Wl,-z,max-page-size=65536; }
case_packed_relocations() { runs_compacted relr -fPIE -pie -Wl,-z,pack-relative-relocs; }
case_binding_at_once() { runs_compacted now -fPIE -pie -Wl,-z,now; }
case_stripped_file() { runs_compacted stripped -fPIE -pie -s; }
case_relocations_kept_by_the_linker() { runs_compacted emit-relocs -fPIE -pie -Wl,-q; }


# Code that knows the address of its own note, as Qt's plug-ins do, finds it where it was.
case_note_that_code_refers_to() {
	cat >"$tmp/note.c" <<-'END'
		#include <stdio.h>
		__attribute__((section(".note.own.metadata"), aligned(4), used)) static const struct {
			unsigned name_size, size, type;
			char name[12], text[32];
		} note = {12, 32, 0x74510001, "its-project", "what the program says of itself"};
		int main(void) { return printf("%s %s\n", note.name, note.text) < 0; }
	END
	for flags in "-fPIE -pie" "-no-pie" "-fPIE -pie -s"; do
		cc -O1 $flags -o "$tmp/noted" "$tmp/note.c" || fail "cc $flags"
		[ "$("$tmp/noted")" = "its-project what the program says of itself" ] || fail "the sample is wrong"
		if "$compact_file" "$tmp/noted" "$tmp/compacted-noted" seed=3 hot=50 >"$tmp/out" 2>&1; then
			chmod +x "$tmp/compacted-noted"
			[ "$("$tmp/compacted-noted")" = "its-project what the program says of itself" ] || fail "$flags: it prints $("$tmp/compacted-noted")"
		else
			grep -q "no room for more program headers" "$tmp/out" || fail "$flags: $(cat "$tmp/out")"
		fi
	done
}

# patchelf, and auditwheel with it, moves sections to the end, and writes X and Z over what they were.
case_library_that_patchelf_changed() {
	have patchelf || return 0
	cp "$tmp/library.so" "$tmp/patched.so"
	patchelf --set-rpath '$ORIGIN/../some.libs:/a/path/that/is/longer/than/the/section/had/room/for' "$tmp/patched.so"
	tr -cd X <"$tmp/patched.so" | grep -q XXXXXXXX || fail 'the sample has no filler'
	compact "$tmp/patched.so" "$tmp/compacted-patched.so" seed=3 hot=30
	[ "$(run "$tmp/program" "$tmp/compacted-patched.so")" = "$want" ] || fail "it prints $(run "$tmp/program" "$tmp/compacted-patched.so")"
}

run_cases
