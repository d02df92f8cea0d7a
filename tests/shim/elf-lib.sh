# Checks of a shim as an ELF file that hold for each of the shims. $shim is the file. Source it after sh-lib.sh.
[ -e "$shim" ] || skip "no shim is built for this processor"
# On AArch64 GNU ld also lists sections here, as local symbols.
symbols=$(readelf --wide --dyn-syms "$shim" | awk '$1 ~ /^[0-9]+:$/ && $5 != "LOCAL"')
readelf --wide --segments "$shim" >"$tmp/segments"
readelf --wide --dynamic "$shim" >"$tmp/dynamic"

resolves_nothing() {
	! echo "$symbols" | grep UND || fail "undefined symbols"
	! echo "$symbols" | grep IFUNC || fail "an IFUNC"
	! grep -E '\((NEEDED|TEXTREL|JMPREL|FINI|FINI_ARRAY|VERNEED)\)' "$tmp/dynamic" || fail "more than relative relocations"
	readelf --wide --relocs "$shim" >"$tmp/relocations"
	! grep -E ' R_[A-Z0-9_]+ ' "$tmp/relocations" | grep -v _RELATIVE || fail "a relocation that looks something up"
}
has_no_runtime() {
	! readelf --wide --syms "$shim" | grep -E '__stack_chk|__asan|__ubsan|__gcov|__tls' || fail "a runtime slipped in"
}
has_two_plain_segments() {
	[ "$(grep -c '^  LOAD' "$tmp/segments")" -le 2 ] || fail "more than two PT_LOADs"
	! grep '^  TLS' "$tmp/segments" || fail "thread-local storage"
	! grep '^  INTERP' "$tmp/segments" || fail "an interpreter"
	! grep '^  GNU_STACK.*E' "$tmp/segments" || fail "an executable stack"
	! grep '^  LOAD.*RWE' "$tmp/segments" || fail "a writable and executable segment"
}
