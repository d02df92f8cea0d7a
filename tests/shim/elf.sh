#!/bin/sh
# The shim as an ELF file: nothing to resolve, nothing exported but its hooks, nothing of a compiler's runtime.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"

[ -e "$audit" ] || skip "no shim is built for this processor"
symbols=$(readelf --wide --dyn-syms "$audit" | awk '$1 ~ /^[0-9]+:$/ && $1 != "0:"')
exported=$(echo "$symbols" | awk '$7 != "UND" { print $8 }' | sort | tr '\n' ' ')
[ "$exported" = "la_activity la_objopen la_objsearch la_version " ] || fail "exports: $exported"
echo "$symbols" | grep UND && fail "undefined symbols"
echo "$symbols" | grep IFUNC && fail "an IFUNC"
readelf --wide --syms "$audit" | grep -E '__stack_chk|__asan|__ubsan|__gcov|__tls' && fail "a runtime slipped in"

readelf --wide --segments "$audit" >"$tmp/segments"
[ "$(grep -c '^  LOAD' "$tmp/segments")" -le 2 ] || fail "more than two PT_LOADs"
grep '^  TLS' "$tmp/segments" && fail "thread-local storage"
grep '^  INTERP' "$tmp/segments" && fail "an interpreter"
grep '^  GNU_STACK.*E' "$tmp/segments" && fail "an executable stack"
grep '^  LOAD.*RWE' "$tmp/segments" && fail "a writable and executable segment"

readelf --wide --dynamic "$audit" >"$tmp/dynamic"
grep -E '\((NEEDED|TEXTREL|JMPREL|FINI|FINI_ARRAY|VERNEED)\)' "$tmp/dynamic" && fail "more than relative relocations"
readelf --wide --relocs "$audit" >"$tmp/relocations"
if grep -E ' R_[A-Z0-9_]+ ' "$tmp/relocations" | grep -v _RELATIVE; then
	fail "a relocation that looks something up"
fi
exit 0
