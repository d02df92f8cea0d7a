#!/bin/sh
# Every small program and library of this system is relaid, verified and undone. system-files.sh RELAYOUT-FILES
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
find -L /usr/lib /usr/bin /usr/sbin -maxdepth 2 -xdev -type f -size -8M 2>/dev/null | xargs -r realpath | sort -u >"$tmp/files"
[ "$(wc -l <"$tmp/files")" -gt 50 ] || skip "no files in /usr/lib and /usr/bin"
"$1" <"$tmp/files" || fail "see above"
