# Shared by the tests of the packages: a system of its own in a folder, made by mmdebstrap, and commands that run in it.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
needs_mounts
on_disk
chmod 755 "$tmp"
command -v git >/dev/null || skip "no git"
[ -e "$HEADSTART_TEST_SOURCE/.git" ] || skip "the source is no clone"
root=$tmp/root

# Makes the system, with these packages in it.
make_root() { # PACKAGE…
	"$HEADSTART_TEST_SOURCE/tests/packaging/in-root" "$root" make "$@" >"$tmp/out" 2>&1 || case $? in
	3) skip "no system can be made here: $(tail -n 1 "$tmp/out")" ;;
	*) fail "cannot make a system: $(cat "$tmp/out")" ;;
	esac
}

# Runs a command in the system.
in_root() { "$HEADSTART_TEST_SOURCE/tests/packaging/in-root" "$root" run "$@"; }

# Prints everything in the system but what dpkg and apt note for themselves.
everything() {
	(
		cd "$root"
		find . -mindepth 1 \( -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/cache/apt -o -path ./var/log/apt \) -prune -o \
			! -path ./var/log/dpkg.log -printf '%p %y %m %U %G %l\n' | sort
		find . \( -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/cache/apt -o -path ./var/log/apt \) -prune -o \
			-type f ! -path ./var/log/dpkg.log -exec sha256sum {} + | sort -k 2
	)
}
