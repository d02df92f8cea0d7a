#!/bin/sh
# The shim as an ELF file: nothing to resolve, no exports but its hooks, nothing of a compiler's runtime.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
shim=$preload
. "$HEADSTART_TEST_SOURCE/tests/shim/elf-lib.sh"

# Besides the hooks, GNU ld exports the names of versions, as absolute symbols.
case_exports_are_its_hooks() {
	exported=$(echo "$symbols" | awk '$7 != "UND" && $7 != "ABS" { sub("@.*", "", $8); print $8 }' | sort -u | tr '\n' ' ')
	[ "$exported" = "dlmopen dlopen execl execle execlp execv execve execveat execvp execvpe fexecve posix_spawn posix_spawnp " ] ||
		fail "exports: $exported"
	absolute=$(echo "$symbols" | awk '$7 == "ABS" { print $8 }' | grep -v '^GLIBC_[0-9.]*$' || true)
	[ -z "$absolute" ] || fail "exports: $absolute"
}

# libc has each of these versions too, because a program asks for libc's.
case_every_symbol_has_a_version_of_libc_s() {
	libc=$(ldd /bin/true | awk '$1 == "libc.so.6" { print $3 }')
	readelf --wide --dyn-syms "$libc" | awk '{ print $8 }' >"$tmp/libc"
	for symbol in $(echo "$symbols" | awk '$7 != "ABS" { print $8 }'); do
		case $symbol in *@*) ;; *) fail "'$symbol' has no version" ;; esac
		grep -qxF "$symbol" "$tmp/libc" || grep -qxF "${symbol%%@*}@${symbol##*@}" "$tmp/libc" ||
			echo "libc here has no $symbol"
	done
}

case_constructor_is_the_first() {
	grep -q 'FLAGS_1.*INITFIRST' "$tmp/dynamic" || fail "another constructor may run before"
}

case_nothing_is_resolved() { resolves_nothing; }
case_no_runtime_of_a_compiler_is_in_it() { has_no_runtime; }
case_segments_are_two_and_plain() { has_two_plain_segments; }

run_cases
