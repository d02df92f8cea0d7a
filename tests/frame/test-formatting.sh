#!/bin/sh
# Every C file is formatted as .clang-format says. Versions of clang-format differ, so only the version that formatted the tree
# counts.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
cd "$HEADSTART_TEST_SOURCE"
case $(clang-format --version 2>/dev/null) in
*' version 14.'*) ;;
*) skip "no clang-format 14" ;;
esac
find bench ldpreload src tests tools -name '*.[ch]' >"$tmp/files"
[ -s "$tmp/files" ] || fail "no C files found"
xargs clang-format --dry-run -Werror <"$tmp/files" >"$tmp/found" 2>&1 ||
	fail "run clang-format -i on: $(sed -n 's/^\([^ :]*\):[0-9].*/\1/p' "$tmp/found" | sort -u | paste -s -d ' ')"

# The control: a wrong file is noticed.
printf 'int  main( void ) { return 0 ; }\n' >"$tmp/wrong.c"
! clang-format --style=file --dry-run -Werror "$tmp/wrong.c" >"$tmp/found" 2>&1 || fail "clang-format finds nothing"
