#!/bin/sh
# install --system and /etc/ld.so.preload files that exist already: what it makes of them, and that uninstall restores them
# exactly.
. "$HEADSTART_TEST_SOURCE/tests/install/root-lib.sh"
copy_programs
for letter in a b; do
	make_library "$root/$letter.so" -shared || skip "no compiler for libraries to preload"
done

# Everything about a file but its inode and times.
state() {
	if [ -e "$line" ]; then
		stat -c '%a %u %g' "$line"
		python3 -c 'import os, sys; print([(x, os.getxattr(sys.argv[1], x)) for x in os.listxattr(sys.argv[1])])' "$line"
		od -An -c "$line"
	else
		echo absent
	fi
}

# try CONTENT EXPECTED: printf formats of the file before and with the line, for which @ stands.
try() {
	printf "$1" >"$line"
	chmod 640 "$line"
	chown 1:2 "$line"
	python3 -c 'import os, sys; os.setxattr(sys.argv[1], "trusted.test", b"kept")' "$line" 2>/dev/null || :
	before=$(state)
	"$headstart" install --system --root "$root" >/dev/null 2>"$tmp/err" || fail "'$1': $(cat "$tmp/err")"
	printf "$2" | sed "s,@,$name," >"$tmp/wanted"
	cmp -s "$tmp/wanted" "$line" || fail "'$1' became: $(od -An -c "$line")"
	[ "$(state | sed 2q)" = "$(echo "$before" | sed 2q)" ] || fail "'$1': owner, mode or attributes: $(state)"
	"$headstart" uninstall --system --root "$root" >/dev/null || fail "'$1': uninstall"
	[ "$(state)" = "$before" ] || fail "'$1' was not restored: $(state), was $before"
}
try '' '@\n'
try '/a.so\n' '/a.so\n@\n'
try '/a.so' '/a.so\n@\n'
try '# a comment without an end' '# a comment without an end\n@\n'
try '\n\n' '\n\n@\n'
try '/a.so:/b.so\t/a.so  # /nonexistent.so\n' '/a.so:/b.so\t/a.so  # /nonexistent.so\n@\n'
try ' ' ' \n@\n'

# Lines that others add meanwhile stay, before and behind ours; so does a line that lost its newline.
installed() {
	rm -f "$line"
	[ -z "${1-}" ] || printf "$1" >"$line"
	"$headstart" install --system --root "$root" >/dev/null 2>"$tmp/err" || fail "install: $(cat "$tmp/err")"
}
left() {
	"$headstart" uninstall --system --root "$root" >/dev/null || fail "uninstall"
	printf "$1" | cmp -s - "$line" || fail "left $(od -An -c "$line") and not '$1'"
}
installed
echo /b.so >>"$line"
left '/b.so\n'
installed '/a.so'
echo /b.so >>"$line"
left '/a.so\n/b.so\n'
installed '/a.so\n'
sed -i '1i/b.so' "$line"
left '/b.so\n/a.so\n'
installed '/a.so\n'
tr '\n' ':' <"$line" >"$tmp/one" && cp "$tmp/one" "$line"
left '/a.so:'
installed '/a.so\n'
rm -f "$root$record"
left '/a.so\n'
installed
rm -f "$root$record"
"$headstart" uninstall --system --root "$root" >/dev/null || fail "uninstall without the record"
[ ! -e "$line" ] || fail "an empty file is left"
# Our name in a comment is no line.
printf "#%s\n" "$name" >"$line"
in_root "$program" status | grep -q 'system *not installed' || fail "a comment counts as installed"
"$headstart" uninstall --system --root "$root" 2>"$tmp/err" || fail "uninstall of a comment"
grep -q 'not installed' "$tmp/err" || fail "uninstall takes a comment for the line"
printf "#%s\n" "$name" | cmp -s - "$line" || fail "a comment was removed"
rm "$line"

# If the record cannot be removed, the line is removed all the same, and the message tells the two apart.
rm -f "$line"
"$headstart" install --system --root "$root" >/dev/null 2>"$tmp/err" || fail "install: $(cat "$tmp/err")"
records=$root$(dirname "$record")
mount --bind "$records" "$records"
mount -o remount,bind,ro "$records"
! "$headstart" uninstall --system --root "$root" >"$tmp/out" 2>"$tmp/err" || fail "a record that is left is not told"
umount --lazy "$records"
grep -qx "took $(echo "$name" | sed 's,\$,\\$,') out of /etc/ld.so.preload" "$tmp/out" || fail "it says of the line: $(cat "$tmp/out")"
grep -q "cannot remove the record '.*': Read-only" "$tmp/err" || fail "it says of the record: $(cat "$tmp/err")"
[ ! -e "$line" ] && [ -e "$root$record" ] || fail "not just the record is left"
"$headstart" uninstall --system --root "$root" >/dev/null 2>&1 || fail "uninstall after a record that was left"
[ ! -e "$root$record" ] || fail "the record is left for ever"

# A file that only root may read stays so. Other users' loaders ignore it silently; install says so.
echo /a.so >"$line"
chmod 600 "$line"
"$headstart" install --system --root "$root" >/dev/null 2>"$tmp/err" || fail "mode 600: $(cat "$tmp/err")"
grep -q "keeps its mode 0600: programs of users who cannot read it do not load the library" "$tmp/err" ||
	fail "install is silent on mode 600: $(cat "$tmp/err")"
in_root /bin/cat /proc/self/maps | grep -q "${name##*/}" || fail "root's programs do not load it"
chroot --userspec 65534:65534 "$root" /bin/cat /proc/self/maps >"$tmp/out" 2>"$tmp/err" || fail "a user's program fails"
! grep -q "${name##*/}" "$tmp/out" || fail "a user's programs load what they cannot read: this tests nothing"
[ ! -s "$tmp/err" ] || fail "a user's program says: $(cat "$tmp/err")"
in_root "$program" status | grep -qx 'system    not for all users' || fail "status: $(in_root "$program" status)"
chroot --userspec 65534:65534 "$root" "$program" status >"$tmp/out" || fail "a user's status"
grep -qx 'system    unreadable' "$tmp/out" || fail "a user's status: $(cat "$tmp/out")"
chmod 644 "$line"
in_root "$program" status | grep -qx 'system    installed' || fail "status: $(in_root "$program" status)"
"$headstart" uninstall --system --root "$root" >/dev/null || fail "uninstall after mode 600"
rm "$line"

# A link stays a link; the file behind it changes.
echo /a.so >"$root/etc/real"
ln -s real "$line"
"$headstart" install --system --root "$root" >/dev/null || fail "through a link"
[ -L "$line" ] || fail "a link was replaced"
[ "$(cat "$root/etc/real")" = "/a.so
$name" ] || fail "through a link: $(cat "$root/etc/real")"
"$headstart" uninstall --system --root "$root" >/dev/null || fail "uninstall through a link"
[ -L "$line" ] && [ "$(cat "$root/etc/real")" = /a.so ] || fail "uninstall through a link left $(cat "$root/etc/real")"
rm "$line"

# A library that kills every program of the other root: uninstalling from outside still works.
echo /a.so >"$line"
"$headstart" install --system --root "$root" >/dev/null || fail "install before the library breaks"
cp "$root$private/libheadstart-preload.so" "$tmp/shim"
head -c 4096 "$tmp/shim" >"$root$private/libheadstart-preload.so"
! in_root /bin/true 2>/dev/null || fail "a truncated library harms nobody: this tests nothing"
"$headstart" uninstall --system --root "$root" >/dev/null || fail "uninstall from outside"
[ "$(cat "$line")" = /a.so ] || fail "uninstall from outside left: $(cat "$line")"
in_root /bin/true || fail "programs fail after the rescue"
# A library that is gone: uninstalling from inside works too.
echo /a.so >"$line"
cp "$tmp/shim" "$root$private/libheadstart-preload.so"
in_root "$program" install --system >/dev/null 2>&1 || fail "install before the library goes"
rm "$root$private/libheadstart-preload.so"
in_root "$program" uninstall --system >/dev/null 2>&1 || fail "uninstall without the library"
[ "$(cat "$line")" = /a.so ] || fail "uninstall without the library left: $(cat "$line")"
check_witness
echo ok
