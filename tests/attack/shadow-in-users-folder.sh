#!/bin/sh
# SPDX-License-Identifier: MIT
# relayout --shadow writes a script that root's systemd runs, and copies that are mounted over programs. Root must not write them
# into a folder where somebody else could replace them, nor mount anything where somebody else says.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
[ "$(id -u)" = 0 ] || skip "only root can be tricked"
cd "$tmp"
chmod 755 "$tmp"
printf 'int main(void)\n{\n\treturn 0;\n}\n' | cc -x c - -o program
printf 'program %s/program\nfile regular %s/program\nrange 0 1 0 1\n' "$tmp" "$tmp" | "$make_profile" profile
mkdir users shared
chown 65534 users
chmod 1777 shared
for folder in "$tmp/users" users users/new "$tmp/shared" shared/new; do
	refuses 1 "the copies need a folder that only root can change" \
		"$headstart" relayout --profile profile --shadow "$folder" program
done
[ -z "$(find users shared -mindepth 1)" ] || fail "something was written: $(find users shared)"
"$headstart" relayout --profile profile --shadow own program >out 2>&1 || fail "a folder of root's: $(cat out)"
[ -x own/headstart-shadow ] || fail "no script in a folder of root's"

# A user's file: its folder could become a link to one of root's, such as /etc, before root mounts the user's copy.
mkdir -p theirs/bin open
cp program theirs/bin/program
cp program open/program
chown -R 65534 theirs
chmod 777 open
for original in "$tmp/theirs/bin/program" "$tmp/open/program"; do
	printf 'program %s\nfile regular %s\nrange 0 1 0 1\n' "$original" "$original" | "$make_profile" profile
	for how in "" --dry-run; do
		refuses 1 "can be replaced by others than root" "$headstart" relayout --profile profile --shadow own $how "$original"
	done
	! grep -qF "$original" own/headstart-shadow.list || fail "'$original' is mounted: $(cat own/headstart-shadow.list)"
	[ ! -e "own$original" ] || fail "a copy of '$original' was written"
done
