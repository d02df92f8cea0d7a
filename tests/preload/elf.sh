#!/bin/sh
# The shim as an ELF file: nothing to resolve, nothing exported but its hooks, nothing of a compiler's runtime.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"

[ -e "$preload" ] || skip "no shim is built for this processor"
symbols=$(readelf --wide --dyn-syms "$preload" | awk '$1 ~ /^[0-9]+:$/ && $1 != "0:"')
# Beside the hooks GNU ld exports the names of versions, as absolute symbols.
exported=$(echo "$symbols" | awk '$7 != "UND" && $7 != "ABS" { sub("@.*", "", $8); print $8 }' | sort -u | tr '\n' ' ')
[ "$exported" = "dlmopen dlopen execl execle execlp execv execve execveat execvp execvpe fexecve posix_spawn posix_spawnp " ] ||
	fail "exports: $exported"
absolute=$(echo "$symbols" | awk '$7 == "ABS" { print $8 }' | grep -v '^GLIBC_[0-9.]*$' || true)
[ -z "$absolute" ] || fail "exports: $absolute"
echo "$symbols" | grep UND && fail "undefined symbols"
echo "$symbols" | grep IFUNC && fail "an IFUNC"
readelf --wide --syms "$preload" | grep -E '__stack_chk|__asan|__ubsan|__gcov|__tls' && fail "a runtime slipped in"

# Each version is one that libc has, too: a program asks for libc's.
libc=$(ldd /bin/true | awk '$1 == "libc.so.6" { print $3 }')
readelf --wide --dyn-syms "$libc" | awk '{ print $8 }' >"$tmp/libc"
for symbol in $(echo "$symbols" | awk '$7 != "ABS" { print $8 }'); do
	case $symbol in *@*) ;; *) fail "'$symbol' has no version" ;; esac
	grep -qxF "$symbol" "$tmp/libc" || grep -qxF "${symbol%%@*}@${symbol##*@}" "$tmp/libc" ||
		echo "libc here has no $symbol"
done

readelf --wide --segments "$preload" >"$tmp/segments"
[ "$(grep -c '^  LOAD' "$tmp/segments")" -le 2 ] || fail "more than two PT_LOADs"
grep '^  TLS' "$tmp/segments" && fail "thread-local storage"
grep '^  INTERP' "$tmp/segments" && fail "an interpreter"
grep '^  GNU_STACK.*E' "$tmp/segments" && fail "an executable stack"
grep '^  LOAD.*RWE' "$tmp/segments" && fail "a writable and executable segment"

readelf --wide --dynamic "$preload" >"$tmp/dynamic"
grep -E '\((NEEDED|TEXTREL|JMPREL|FINI|FINI_ARRAY|VERNEED)\)' "$tmp/dynamic" && fail "more than relative relocations"
grep -q 'FLAGS_1.*INITFIRST' "$tmp/dynamic" || fail "its constructor is not the first"
readelf --wide --relocs "$preload" >"$tmp/relocations"
if grep -E ' R_[A-Z0-9_]+ ' "$tmp/relocations" | grep -v _RELATIVE; then
	fail "a relocation that looks something up"
fi
exit 0
