#!/bin/sh
# install --app and uninstall --app are killed at every step. Afterwards each file is the user's own or ours, a second try
# succeeds, and uninstalling restores what was there before, with the same inode.
. "$HEADSTART_TEST_SOURCE/tests/install/install-lib.sh"
export ASAN_OPTIONS=detect_leaks=0 # not under strace
can_trace || skip "no strace, or it cannot trace here"
tool=$HEADSTART_TEST_BUILD/tools/headstart-tool

make_program "$tmp/programs/painter"
printf '[Desktop Entry]\nExec=painter %%U\n' >"$XDG_DATA_DIRS/applications/painter.desktop"
mkdir -p "$bin" "$menus" "$HEADSTART_STATE/install"
make_program "$bin/painter"
printf '[Desktop Entry]\nExec=painter --mine\n' >"$menus/painter.desktop"
before=$(home_now)

# Whether both programs and menu entries can be used: each is the old file or the new one, complete.
check_usable() {
	case $(painter x) in
	"$bin/painter:x" | "$tmp/programs/painter:x" | "$tmp/early/painter:x") ;;
	*) fail "$1: the program does not start: $(painter x)" ;;
	esac
	tail -n 1 "$menus/painter.desktop" | grep -qxE "Exec=($bin/)?painter --mine" ||
		fail "$1: the menu entry: $(cat "$menus/painter.desktop")"
}

# A killed publisher's temporary files must be gone as soon as somebody has written into the folder again.
check_before() {
	[ "$(home_now)" = "$before" ] || fail "$1: left $(home_now), was $before"
}

killed=0
each_kill() {
	for call in openat write fchmod fsync rename renameat linkat link unlink unlinkat mkdir; do
		n=0
		while n=$((n + 1)); do
			status=0
			prepare
			(strace -qq -f -o "$tmp/trace" -e trace=$call -e "inject=$call:signal=SIGKILL:when=$n" \
				"$tool" "$@" >/dev/null 2>&1) 2>/dev/null || status=$?
			[ "$status" != 0 ] || break
			[ "$status" = 137 ] || fail "$* killed at $call $n: status $status"
			killed=$((killed + 1))
			what="'$*' killed at $call $n"
			check_usable "$what"
			after
		done
	done
}

prepare() { :; }
after() {
	"$tool" install --app painter --force >/dev/null 2>&1 || fail "$what: installing again fails"
	"$tool" uninstall --app painter >/dev/null 2>&1 || fail "$what: uninstalling fails"
	check_before "$what, then installed and uninstalled"
}
finish() {
	"$tool" uninstall --app painter >/dev/null 2>&1
}
# A run that is not killed leaves it installed. The next loop starts from there.
each_kill install --app painter --force
finish
check_before "installed and uninstalled"

after() {
	"$tool" uninstall --app painter >/dev/null 2>&1 || fail "$what: uninstalling fails"
	check_before "$what, then uninstalled"
}
prepare() { "$tool" uninstall --app painter >/dev/null 2>&1; }
each_kill install --app painter --force
finish

# What an earlier installation wrote is ours, before it is replaced and after.
mkdir "$tmp/early"
make_program "$tmp/early/painter"
prepare() { PATH=$tmp/early:$PATH "$tool" install --app painter --force >/dev/null 2>&1; } # another wrapper
after() {
	"$tool" install --app painter >/dev/null 2>"$tmp/err" || fail "$what: installing again fails: $(cat "$tmp/err")"
	"$tool" uninstall --app painter >/dev/null 2>&1 || fail "$what: uninstalling fails"
	check_before "$what, then installed and uninstalled"
}
each_kill install --app painter
finish

after() {
	"$tool" uninstall --app painter >/dev/null 2>&1 || fail "$what: uninstalling fails"
	check_before "$what, then uninstalled"
}
prepare() { "$tool" install --app painter --force >/dev/null 2>&1; }
each_kill uninstall --app painter
[ "$killed" -gt 60 ] || fail "killed only $killed times"
check_witness
echo "ok: killed $killed times"
