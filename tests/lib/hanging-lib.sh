# Shared by tests of what waits for servers of file systems. Source it after sh-lib.sh.
server=

# Mounts there a file system that never answers (hanging-fuse.py). A file can be opened; closing it waits.
mount_hanging() { # FOLDER-OR-FILE [USER [SECONDS]]
	[ -e /dev/fuse ] || skip "no FUSE here"
	: >"$tmp/mounted" # an earlier one has written that, too
	"$HEADSTART_TEST_SOURCE/tests/lib/hanging-fuse.py" "$@" >"$tmp/mounted" 2>"$tmp/err" 7>&- &
	server=$!
	while kill -0 "$server" 2>/dev/null && ! grep -q mounted "$tmp/mounted"; do sleep 0.05; done
	grep -q mounted "$tmp/mounted" || skip "no FUSE here: $(cat "$tmp/err")"
}

# What waits for it goes on.
end_hanging() {
	[ -z "$server" ] || kill -KILL "$server" 2>/dev/null || :
	umount -l "$tmp/hanging" 2>/dev/null || :
}
