#!/bin/sh
# Common spelling mistakes. Words that are meant as they are stand in tests/frame/spelling: a name of the kernel's, "to and fro",
# and words that tests misspell on purpose.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
command -v codespell >/dev/null || skip "codespell is not installed"
cd "$HEADSTART_TEST_SOURCE"
# Everything that people read. Files that others have written, and figures, are left out.
codespell --ignore-words tests/frame/spelling --skip 'bench/results,*.svg,build*,tests/fuzz/corpus' \
	*.md .ci meson.build meson_options.txt bench ldpreload man packaging src tests tools >"$tmp/found" 2>&1 ||
	fail "$(cat "$tmp/found")"
[ ! -d docs ] || codespell --ignore-words tests/frame/spelling docs >"$tmp/found" 2>&1 || fail "$(cat "$tmp/found")"

# The control: a mistake is noticed.
echo 'teh word' >"$tmp/wrong"
! codespell --ignore-words tests/frame/spelling "$tmp/wrong" >"$tmp/found" 2>&1 || fail "codespell finds nothing"
