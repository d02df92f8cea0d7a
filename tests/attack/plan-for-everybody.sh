#!/bin/sh
# SPDX-License-Identifier: MIT
# Root's plan serves everybody, and names only files that only root can change. The user's own plan has the rest. A process of
# that user writes it, so a link that the user puts in the way does not lead to where only root may write.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/record/record-lib.sh"
command -v setpriv >/dev/null || skip "no setpriv to become a user with"
make_disk
chmod 711 "$tmp"
home=$disk/home
mkdir "$home" "$disk/roots" "$disk/group" "$tmp/closed"
mkdir -m 1777 "$disk/shared"

# A user with that home, for this mount namespace alone.
sed "/^somebody:/d; \$a somebody:x:65534:65534::$home:/bin/sh" /etc/passwd >"$tmp/passwd"
mount --bind "$tmp/passwd" /etc/passwd
chown 65534:65534 "$home"
make_file() { head -c 20000 /dev/urandom >"$1"; }

# Files of root; of the user; of root in the user's folder; writable by a group; in a folder that a group may write; and files of
# root and of the user in a folder that everybody may write.
for file in roots/file home/user home/root roots/group group/file shared/root shared/user; do
	make_file "$disk/$file"
done
chmod 664 "$disk/roots/group"
chmod 775 "$disk/group"
chown 65534:65534 "$disk/home/user" "$disk/shared/user"
cat >"$disk/start" <<-END
	#!/bin/sh
	cat $disk/roots/file $disk/home/user $disk/home/root $disk/roots/group $disk/group/file $disk/shared/root $disk/shared/user >/dev/null
END
chmod 755 "$disk/start"

planned() { # PLAN: the files of the disk that it names
	"$tool" show --json "$1" | json - '" ".join(sorted(file["path"][len(ARGS[0]):] for file in TOP["files"]
		if file["path"].startswith(ARGS[0]) and file.get("kind") == "regular"))' "$disk/"
}
plan_in() { # FOLDER
	ls "$1"/*.plan 2>/dev/null | head -n 1
}
all="group/file home/root home/user roots/file roots/group shared/root shared/user start"
roots="roots/file shared/root start"

can_record
"$tool" record --user somebody -- "$disk/start" 2>"$tmp/err" || fail "no recording: $(cat "$tmp/err")"
[ "$(planned "$(plan_in "$HEADSTART_STATE")")" = "$roots" ] ||
	fail "root's plan names '$(planned "$(plan_in "$HEADSTART_STATE")")', not '$roots': $(cat "$tmp/err")"
grep -q "[0-9] files are left out of everybody's plan of '.*': others than root own them or can replace them" "$tmp/err" ||
	fail "nobody was told what is left out: $(cat "$tmp/err")"

own=$home/.local/state/headstart
[ -n "$(plan_in "$own")" ] || fail "the user has no plan: $(cat "$tmp/err")"
[ "$(planned "$(plan_in "$own")")" = "$all" ] || fail "the user's plan names '$(planned "$(plan_in "$own")")'"
[ "$(stat -c %u:%a "$(plan_in "$own")")" = 65534:600 ] || fail "the user's plan is $(stat -c %u:%a "$(plan_in "$own")")"

# 'headstart plan' leaves out the same, and says so in JSON; the user's own 'headstart plan' leaves out nothing.
profile=$(ls "$HEADSTART_STATE"/*.profile)
"$tool" plan --json -o "$tmp/again.plan" "$profile" >"$tmp/json" 2>"$tmp/err" || fail "no plan: $(cat "$tmp/err")"
[ "$(planned "$tmp/again.plan")" = "$roots" ] || fail "'headstart plan' names '$(planned "$tmp/again.plan")'"
[ "$(json "$tmp/json" 'TOP["others"] >= 5')" = True ] || fail "it said $(cat "$tmp/json")"
cp "$tool" "$disk/tool"
$as_nobody env HOME="$home" HEADSTART_STATE= "$disk/tool" plan --json -o "$home/again.plan" "$(ls "$own"/*.profile)" >"$tmp/json" ||
	fail "the user cannot plan"
[ "$(planned "$home/again.plan")" = "$all" ] || fail "the user's own 'headstart plan' names '$(planned "$home/again.plan")'"

# A plan is removed if all of its files have become the user's.
name=$(python3 -c '
import sys
path, number = sys.argv[1], 0xcbf29ce484222325
for byte in path.encode():
    number = (number ^ byte) * 0x100000001b3 % 2**64
print(path.rsplit("/", 1)[1] + "-%016x" % number)' "$disk/roots/file")
"$make_profile" "$HEADSTART_STATE/$name.profile" <<-END
	program $disk/roots/file
	file regular $disk/roots/file
	range 0 2 0 1
END
"$tool" plan --program "$disk/roots/file" >"$tmp/out" 2>&1 || fail "no plan: $(cat "$tmp/out")"
[ -e "$HEADSTART_STATE/$name.plan" ] || fail "no plan of root's file: $(cat "$tmp/out")"
chown 65534 "$disk/roots/file"
"$tool" config apply >"$tmp/out" 2>"$tmp/err" || fail "config apply: $(cat "$tmp/err")"
[ ! -e "$HEADSTART_STATE/$name.plan" ] || fail "root's plan names a user's file still"
chown 0 "$disk/roots/file"

# The user's folder is now a link to a folder that only root can write to.
rm -r "$home/.local"
$as_nobody ln -s "$tmp/closed" "$home/.local"
"$tool" record --no-drop --user somebody -- "$disk/start" 2>"$tmp/err" || fail "the recording failed: $(cat "$tmp/err")"
grep -q "no plan was made for 'somebody' alone" "$tmp/err" || fail "nobody was told that there is no plan: $(cat "$tmp/err")"
[ -z "$(ls -A "$tmp/closed")" ] || fail "root wrote where the user's link led"
