#!/bin/sh
# SPDX-License-Identifier: MIT
# Packagers' scripts go by the exit status of relayout -o. With status 0, OUT must be there and usable; otherwise OUT must be what
# it was.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
cd "$tmp"
printf 'int main(void)\n{\n\treturn 7;\n}\n' >main.c
cc main.c -o unknown
chmod 751 unknown
printf 'program %s/other\nfile regular %s/other\nrange 0 1 0 1\n' "$tmp" "$tmp" | "$make_profile" profile
echo text >text

status=0
"$headstart" relayout --profile profile -o out unknown >said 2>&1 || fail "exited $?: $(cat said)"
[ -e out ] || fail "exited 0 and wrote no OUT"
cmp unknown out || fail "OUT is not the file"
[ "$(stat -c %a out)" = 751 ] || fail "OUT has another mode"
grep -qF "'out' is an unchanged copy" said || fail "does not say so: $(cat said)"
./out || status=$?
[ "$status" = 7 ] || fail "OUT does not run"

# Into a folder, where it replaces a file.
mkdir folder
echo old >folder/unknown
"$headstart" relayout --json --profile profile -o folder unknown >said 2>&1 || fail "into a folder: $(cat said)"
cmp unknown folder/unknown || fail "an old OUT is left there with status 0"
[ "$(json said '"{status} {output}".format(**TOP["files"][0])')" = "skipped folder/unknown" ] ||
	fail "the JSON does not say where the copy is"

# A refusal: status 1, and OUT as it was.
echo old >kept
"$headstart" relayout --profile profile -o kept text >said 2>&1 && fail "a text was relaid"
[ "$(cat kept)" = old ] || fail "a refusal changed OUT"
"$headstart" relayout --dry-run --profile profile -o dry unknown >said 2>&1 || fail "dry run"
[ ! -e dry ] || fail "a dry run wrote OUT"
