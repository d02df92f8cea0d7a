#!/bin/sh
# The shim as an ELF file: nothing to resolve, no exports but its hooks, nothing of a compiler's runtime.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
shim=$audit
. "$HEADSTART_TEST_SOURCE/tests/shim/elf-lib.sh"

case_exports_are_its_hooks() {
	exported=$(echo "$symbols" | awk '$7 != "UND" { print $8 }' | sort | tr '\n' ' ')
	[ "$exported" = "la_activity la_objopen la_objsearch la_version " ] || fail "exports: $exported"
}

case_nothing_is_resolved() { resolves_nothing; }
case_no_runtime_of_a_compiler_is_in_it() { has_no_runtime; }
case_segments_are_two_and_plain() { has_two_plain_segments; }

run_cases
