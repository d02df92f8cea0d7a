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
