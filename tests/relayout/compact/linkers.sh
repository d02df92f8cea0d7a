#!/bin/sh
# Compacted files run, and so does what strip and eu-strip make of them. Tools find in them what they find in the originals.
# linkers.sh COMPACT-FILE LINKER
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/relayout/compact/compact-lib.sh"
linker=$2

build "program-$linker" "$linker" -DPROGRAM -fPIE -pie
build "library-$linker.so" "$linker" -shared -fPIC
want=$(run "$tmp/program-$linker" "$tmp/library-$linker.so")

case_program_is_what_it_was_to_users_and_tools() {
	run_as() { run "$1" "$tmp/library-$linker.so"; }
	compact "$tmp/program-$linker" "$tmp/compacted-program-$linker" seed=1 hot=30 segments=40
	check "$tmp/program-$linker" "$tmp/compacted-program-$linker"
}

case_program_runs_under_gdb() {
	kind=compacted-program-$linker
	check_gdb "$tmp/compacted-program-$linker"
}

case_library_is_what_it_was_to_users_and_tools() {
	run_as() { run "$tmp/program-$linker" "$1"; }
	compact "$tmp/library-$linker.so" "$tmp/compacted-library-$linker.so" seed=2 hot=30 segments=40
	check "$tmp/library-$linker.so" "$tmp/compacted-library-$linker.so"
}

run_cases
