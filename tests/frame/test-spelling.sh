#!/bin/sh
# Words that everybody spells another way. Those that are meant so are in tests/frame/spelling: a name of the kernel's, "to and
# fro", and what tests damage on purpose.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
command -v codespell >/dev/null || skip "codespell is not installed"
cd "$HEADSTART_TEST_SOURCE"
# All that people read; what others have written, and figures, are not ours to spell.
codespell --ignore-words tests/frame/spelling --skip 'bench/results,*.svg,build*,tests/fuzz/corpus' \
	*.md .ci meson.build meson_options.txt bench ldpreload man packaging src tests tools >"$tmp/found" 2>&1 ||
	fail "$(cat "$tmp/found")"
[ ! -d docs ] || codespell --ignore-words tests/frame/spelling docs >"$tmp/found" 2>&1 || fail "$(cat "$tmp/found")"

# It would be noticed.
echo 'teh word' >"$tmp/wrong"
! codespell --ignore-words tests/frame/spelling "$tmp/wrong" >"$tmp/found" 2>&1 || fail "codespell finds nothing"
