# Shared by the tests of users' own files: users with homes, for this mount namespace alone. Source it after disk-lib.sh, and make the
# disk first.
user=$((200000 + $$ % 50000)) # not shared with other runs
other=$((user + 100000))
as_user="setpriv --reuid $user --regid $user --clear-groups --"
as_other="setpriv --reuid $other --regid $other --clear-groups --"
command -v setpriv >/dev/null || skip "no setpriv to become a user with"

# The daemon, and what it starts, where every user may execute programs: headstart-keep becomes a user, and then the prefetcher.
for name in headstart-keep headstart-prefetch headstartd; do for_others "$HEADSTART_TEST_BUILD/tools/$name"; done
daemon=$others/headstartd

# headstart-keep with no more rights than its unit gives it.
keep_unit=$HEADSTART_TEST_SOURCE/packaging/headstart-keep@.service.in
keep="setpriv --no-new-privs --bounding-set -all,$(sed -n 's/^CapabilityBoundingSet=//p' "$keep_unit" | tr 'A-Z ' 'a-z,' | sed 's/cap_/+/g') -- $others/headstart-keep"
listener=

# Listens there as systemd does, and starts headstart-keep for each connection.
listen_for_keep() { # SOCKET
	command -v systemd-socket-activate >/dev/null || skip "no systemd-socket-activate"
	rm -f "$1"
	systemd-socket-activate --seqpacket --accept --inetd --listen="$1" $keep >"$tmp/listener-log" 2>&1 7>&- &
	listener=$!
	until [ -S "$1" ]; do
		kill -0 "$listener" 2>/dev/null || fail "systemd-socket-activate: $(cat "$tmp/listener-log")"
		sleep 0.02
	done
}

stop_listening() {
	[ -z "$listener" ] || kill "$listener" 2>/dev/null || :
	listener=
}

# What root's settings say from now on; besides $only_ours where a daemon runs. After own_settings.
set_settings() { printf '%s' "${only_ours-}$1" >"$tmp/settings/headstart.conf"; }

# /etc/headstart is $tmp/settings, in this mount namespace alone. Before make_users.
own_settings() {
	export HEADSTART_CONFIG= # the daemon reads this folder
	mkdir "$tmp/settings"
	set_settings ""
	[ -d /etc/headstart ] || {
		mkdir -p "$tmp/etc/headstart" "$tmp/etc-work"
		mount -t overlay overlay -o "lowerdir=/etc,upperdir=$tmp/etc,workdir=$tmp/etc-work" /etc 2>"$tmp/err" ||
			skip "no overlay can be mounted on /etc: $(cat "$tmp/err")"
	}
	mount --bind "$tmp/settings" /etc/headstart
}

# Gives the two users these homes.
make_users() { # HOME HOME-OF-OTHER
	umount -l /etc/passwd 2>/dev/null || : # also if it is in use
	sed "/^somebody:/d; /^another:/d" /etc/passwd >"$tmp/passwd"
	echo "somebody:x:$user:$user::$1:/bin/sh" >>"$tmp/passwd"
	echo "another:x:$other:$other::$2:/bin/sh" >>"$tmp/passwd"
	mount --bind "$tmp/passwd" /etc/passwd
}

make_home() { # FOLDER USER
	mkdir -p "$1"
	chmod 700 "$1"
	chown "$2:$2" "$1"
}

own_of() { echo "$1/.local/state/headstart"; }

# Nobody else can read what lies in the home, or change it.
is_private() { # HOME USER
	find "$1/.local" -type d -printf '%m %U %p\n' | grep -v "^700 $2 " | { ! grep .; } || fail "folders of '$1' are not the user's alone"
	find "$1/.local" -type f -printf '%m %U %p\n' | grep -v "^600 $2 " | { ! grep .; } || fail "files of '$1' are not the user's alone"
	find "$1/.local" ! -type d ! -type f | { ! grep .; } || fail "it leaves more than files"
}

# The regular files below the disk that a profile or a plan names.
named() { # FILE
	"$tool" show --json "$1" | json - '" ".join(sorted(file["path"][len(ARGS[0]):] for file in TOP["files"]
		if file["path"].startswith(ARGS[0]) and file.get("kind") == "regular"))' "$disk/"
}
