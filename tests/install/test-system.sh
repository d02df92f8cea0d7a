#!/bin/sh
# install --system and uninstall --system on a copy of this machine, with all its programs.
. "$HEADSTART_TEST_SOURCE/tests/install/root-lib.sh"
show_machine
lib=$(dst_lib /lib64/ld-linux-x86-64.so.2)
[ -z "$lib" ] || [ "$(echo "$name" | sed "s,\$LIB,$lib,")" = "$private/libheadstart-preload.so" ] ||
	skip "this build is not for a folder that \$LIB names"

# If the machine has a second kind of program, that kind needs a library of its own.
if in_root /lib/ld-linux.so.2 --list-diagnostics >"$tmp/diagnostics" 2>/dev/null; then
	lib32=$(sed -n 's/^dl_dst_lib="\(.*\)"/\1/p' "$tmp/diagnostics")
	stub=$root$(echo "$name" | sed "s,\$LIB,$lib32,")
	rm -rf "$(dirname "$stub")"
	ours=$private/i386/libheadstart-preload.so
	if [ -e "$root$ours" ]; then
		mv "$root$ours" "$tmp/ours"
		refuses 1 "the library for programs of '/lib/ld-linux.so.2'" in_root "$program" install --system
		mv "$tmp/ours" "$root$ours"
	else
		refuses 1 "the library for programs of '/lib/ld-linux.so.2'" in_root "$program" install --system
		make_library "$stub" -m32 || skip "no compiler for the library of 32-bit programs"
	fi
fi

in_root "$program" install --system --dry-run >"$tmp/out" 2>"$tmp/err" || fail "dry run: $(cat "$tmp/err")"
grep -q "would add to /etc/ld.so.preload: " "$tmp/out" || fail "the dry run does not say what: $(cat "$tmp/out")"
[ ! -e "$line" ] || fail "the dry run wrote something"
[ ! -e "$root$private/i386" ] || [ ! -e "${stub-}" ] || fail "the dry run left a link to the library of 32-bit programs"

in_root "$program" install --system >"$tmp/out" 2>"$tmp/err" || fail "install: $(cat "$tmp/err")"
[ ! -s "$tmp/err" ] || fail "says: $(cat "$tmp/err")"
[ "$(cat "$line")" = "$name" ] || fail "wrote $(cat "$line")"
[ "$(stat -c '%a %u %g' "$line")" = '644 0 0' ] || fail "mode or owner: $(stat -c '%a %u %g' "$line")"
tried=$(sed -n 's/^tried \([0-9]*\) programs.*/\1/p' "$tmp/out")
[ "$tried" -ge 15 ] || fail "tried only $tried programs"
[ -z "${stub-}" ] || [ "$(in_root cat "${stub#"$root"}" | head -c 5 | od -An -tx1)" = " 7f 45 4c 46 01" ] ||
	fail "32-bit programs have no library of theirs"
in_root cat /proc/self/maps | grep -q libheadstart-preload.so || fail "programs do not load it"
in_root "$program" status | grep -q '^system *installed' || fail "status: $(in_root "$program" status)"
in_root "$program" install --system 2>"$tmp/err" || fail "a second time"
grep -q 'installed already' "$tmp/err" || fail "a second time says: $(cat "$tmp/err")"
[ "$(cat "$line")" = "$name" ] || fail "a second time wrote $(cat "$line")"
if [ -n "${stub-}" ] && [ -e "$root$private/i386" ]; then # as if these programs had come since
	rm "$stub"
	in_root "$program" install --system >"$tmp/out" 2>/dev/null || fail "for programs of a new kind"
	grep -qx "placed the library for programs of /lib/ld-linux.so.2" "$tmp/out" || fail "for programs of a new kind it says: $(cat "$tmp/out")"
	[ -L "$stub" ] || fail "programs of a new kind have no library of theirs"
	# Debian's maintainer script and rpm's trigger do the same, but only where that line is there.
	cp "$HEADSTART_TEST_SOURCE/packaging/debian/headstart.postinst" "$root/postinst"
	rm "$stub"
	in_root sh /postinst triggered || fail "postinst"
	[ -L "$stub" ] || fail "postinst places no library for programs of a new kind"
	sed -n '/^%transfiletriggerin /,/^$/s/^[^%]/&/p' "$HEADSTART_TEST_SOURCE/packaging/rpm/headstart.spec" >"$root/trigger"
	rm "$stub"
	in_root sh /trigger || fail "rpm's trigger"
	[ -L "$stub" ] || fail "rpm's trigger places no library for programs of a new kind"
	cp "$line" "$tmp/line"
	echo "$private/libheadstart-preload.so" >"$line"
	for script in "/postinst triggered" /trigger; do
		in_root sh $script 2>/dev/null || fail "$script with another line"
		[ "$(cat "$line")" = "$private/libheadstart-preload.so" ] || fail "$script adds a line: $(cat "$line")"
	done
	cp "$tmp/line" "$line"
fi
in_root "$program" uninstall --system >"$tmp/out" || fail "uninstall"
[ ! -e "$line" ] || fail "the file that was made is left: $(cat "$line")"
[ ! -e "$root$record" ] || fail "the record is left"
[ ! -e "$root$private/i386" ] || [ -z "${stub-}" ] || [ ! -e "$(dirname "$stub")" ] ||
	fail "the link to the library of 32-bit programs is left"
[ -z "$(find "$root/etc" -maxdepth 1 -name '.ld.so.preload*')" ] || fail "temporary files are left"
! find "$HEADSTART_TEST_PLACE/layer/upper/tmp" -type f 2>/dev/null | grep . || fail "the self-test left files in /tmp"

# From outside.
"$headstart" install --system --root "$root" >/dev/null 2>"$tmp/err" || fail "--root: $(cat "$tmp/err")"
[ "$(cat "$line")" = "$name" ] || fail "--root wrote $(cat "$line")"
# A package manager's script removes the line before the library.
in_root "$private/headstart-prerm" >/dev/null || fail "headstart-prerm"
[ ! -e "$line" ] || fail "headstart-prerm left the line"
in_root "$private/headstart-prerm" >/dev/null 2>&1 || fail "headstart-prerm a second time"
# Debian's maintainer script runs it when the package is removed, and not when it is upgraded.
sed "s,/usr/lib/#DEB_HOST_MULTIARCH#/headstart,$private," "$HEADSTART_TEST_SOURCE/packaging/debian/libheadstart.prerm" >"$root/prerm"
in_root "$program" install --system >/dev/null || fail "install before the prerm"
in_root sh /prerm upgrade 2 || fail "prerm upgrade"
[ -e "$line" ] || fail "an upgrade takes the line out"
in_root sh /prerm remove >/dev/null || fail "prerm remove"
[ ! -e "$line" ] || fail "the removal of a package leaves the line"
# A machine that boots with headstart-init would not boot without it.
mkdir -p "$root/etc/default" "$root/boot/loader/entries"
for boots in etc/default/grub boot/loader/entries/one.conf; do
	printf 'options="quiet init=/usr/sbin/headstart-init splash"\n' >"$root/$boots"
	! in_root sh /prerm remove >/dev/null 2>"$tmp/err" || fail "the removal goes on though '/$boots' has init="
	grep -q "headstart-prerm: '/$boots' boots" "$tmp/err" || fail "prerm does not say why: $(cat "$tmp/err")"
	printf '# init=/usr/sbin/headstart-init\noptions="init=/bin/sh"\n' >"$root/$boots"
	in_root sh /prerm remove >/dev/null 2>&1 || fail "prerm takes a comment, or another init, for ours"
done
rm -r "$root/etc/default" "$root/boot"
# The file cannot be changed, so the package must stay.
in_root "$program" install --system >/dev/null || fail "install before the failing prerm"
mount --bind "$line" "$line"
! in_root sh /prerm remove >/dev/null 2>&1 || fail "the removal goes on though the line is left"
umount --lazy "$line" # a program that is just starting may be reading it
[ ! -e "$root$private/i386" ] || [ -z "${stub-}" ] || mv "$root/lib/ld-linux.so.2" "$tmp/loader" # as if 32-bit programs had gone since
in_root "$program" uninstall --system >/dev/null || fail "uninstall after the failing prerm"
[ ! -e "$tmp/loader" ] || [ ! -L "$stub" ] || fail "the link to the library of 32-bit programs is left after their loader has gone"
# A line that names the library in another way. uninstall leaves it, since install did not write it, so the package must stay too.
for other in "$private/libheadstart-preload.so" "$(echo "$name" | sed 's,\$LIB,${LIB},')" "$(printf '%s\r' "$name")"; do
	printf '# %s\n/nothing.so:%s\n' "$name" "$other" >"$line"
	! in_root sh /prerm remove >/dev/null 2>"$tmp/err" || fail "the removal goes on though a line names the library: $other"
	grep -q 'headstart-prerm: .* still names' "$tmp/err" || fail "prerm does not say why: $(cat "$tmp/err")"
done
printf %s "$private/libheadstart-preload.so" >"$line"
! in_root sh /prerm remove >/dev/null 2>&1 || fail "the removal goes on though a line without an end names the library"
printf '# %s\n/opt%s\n' "$name" "$private/libheadstart-preload.so" >"$line"
in_root sh /prerm remove >/dev/null 2>&1 || fail "prerm takes a comment, or another library, for ours"
rm "$line"
check_witness
echo "ok: tried $tried programs"
