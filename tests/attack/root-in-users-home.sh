#!/bin/sh
# SPDX-License-Identifier: MIT
# Root runs headstart with a user's environment, as sudo -E does. headstart must not read or write anything below a folder that
# the user can change; what root does in its own home must work as always.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
[ "$(id -u)" = 0 ] || skip "only root can be tricked"
chmod 755 "$tmp"
user=65534
name=$(id -un $user) || skip "there is no user $user"
home=$tmp/home # the user's
roots=$tmp/roots
target=$tmp/target # a folder of root's into which the user would like to write
mkdir -p "$home" "$roots" "$target" "$tmp/share/applications" "$tmp/bin"
chown $user "$home"
as_user="setpriv --reuid=$user --regid=$user --clear-groups"
printf '#!/bin/sh\necho painter\n' >"$tmp/bin/painter"
chmod 755 "$tmp/bin/painter"
printf '[Desktop Entry]\nName=Painter\nExec=painter\n' >"$tmp/share/applications/painter.desktop"
cp "$tmp/share/applications/painter.desktop" "$tmp/entry"
export PATH="$tmp/bin:$PATH" XDG_DATA_DIRS="$tmp/share" HEADSTART_STATE="$tmp/state"
unset XDG_DATA_HOME XDG_CONFIG_HOME XDG_STATE_HOME XDG_CONFIG_DIRS

# The user's folder of menu entries is a link to a folder of root's, and the user has written the entry.
$as_user mkdir -p "$home/.local/share"
$as_user ln -s "$target" "$home/.local/share/applications"
$as_user mkdir -p "$home/dirs/applications"
$as_user sh -c "printf '[Desktop Entry]\nName=Evil\nExec=painter --evil\n' >$home/dirs/applications/evil.desktop"

nothing_written() {
	[ -z "$(ls -A "$target")" ] || fail "$1: root wrote to its own folder through the user's link: $(ls -A "$target")"
	[ ! -e "$home/.local/bin" ] && [ ! -e "$home/.config" ] && [ ! -e "$home/state" ] || fail "$1: root wrote below the user's home"
	[ ! -e "$tmp/state" ] || fail "$1: a refusal left a record"
}

case_home() {
	for verb in 'install --app painter' 'install --app painter --dry-run' 'install --app painter --force' 'install --user'; do
		HOME=$home XDG_DATA_DIRS=$home/dirs:$tmp/share refuses 1 "'$home' belongs to '$name': run this as that user, or with HOME=/root" \
			"$headstart" $verb
		nothing_written "$verb"
	done
}

case_variables() {
	HOME=$roots XDG_DATA_HOME=$home/.local/share refuses 1 "run this as that user, or without XDG_DATA_HOME" \
		"$headstart" install --app painter
	nothing_written XDG_DATA_HOME
	HOME=$roots HEADSTART_STATE=$home/state refuses 1 "run this as that user, or without HEADSTART_STATE" \
		"$headstart" install --app painter
	for verb in status 'config apply' 'plan --program painter' 'uninstall --app painter'; do
		HOME=$roots HEADSTART_STATE=$home/state refuses 1 "or without HEADSTART_STATE" "$headstart" $verb
	done
	HEADSTART_STATE=$home/state "$headstart" run --verbose -- "$tmp/bin/painter" >"$tmp/out" 2>"$tmp/err" || fail "run"
	grep -qx painter "$tmp/out" || fail "run does not run the program"
	grep -qF "others than root can change the folder in HEADSTART_STATE" "$tmp/err" || fail "run: $(cat "$tmp/err")"
	nothing_written HEADSTART_STATE
}

# A link lies in a folder of root's but leads to one that is not; another link was put into /tmp by the user.
case_links() {
	ln -sfn "$home" "$tmp/link"
	HOME=$tmp/link refuses 1 "'$home' belongs to '$name'" "$headstart" install --app painter
	mkdir -p "$tmp/sticky"
	chmod 1777 "$tmp/sticky"
	$as_user ln -sfn "$roots" "$tmp/sticky/link"
	HOME=$tmp/sticky/link refuses 1 "'$tmp/sticky/link' belongs to '$name'" "$headstart" install --app painter
	HOME=$tmp/sticky/none refuses 1 "users other than root can write to '$tmp/sticky'" "$headstart" install --app painter
	nothing_written links
	[ -z "$(ls -A "$roots")" ] || fail "root wrote through the user's link in a sticky folder"
}

case_folders_for_others_to_write() {
	mkdir -p "$tmp/open"
	for mode in 777 775; do
		chmod "$mode" "$tmp/open"
		HOME=$tmp/open refuses 1 "users other than root can write to '$tmp/open': run this with HOME=/root" \
			"$headstart" install --app painter
		[ -z "$(ls -A "$tmp/open")" ] || fail "root wrote to a folder of mode $mode"
	done
}

# Only a folder deep below root's own home belongs to the user.
case_a_folder_below() {
	mkdir -p "$roots/.local/share"
	ln -sfn "$home/.local/share/applications" "$roots/.local/share/applications"
	HOME=$roots refuses 1 "'$home' belongs to '$name'" "$headstart" install --app painter
	nothing_written "a folder below"
	rm -rf "$roots/.local"
}

# Root's own home lies below sticky folders: all works as always, but menu entries of the user's do not count.
case_roots_own() {
	mkdir -p "$tmp/sticky/own"
	for own in "$roots" "$tmp/sticky/own"; do
		HOME=$own XDG_DATA_DIRS=$home/dirs:$tmp/share "$headstart" install --app painter >"$tmp/out" 2>"$tmp/err" ||
			fail "root in its own home: $(cat "$tmp/err")"
		[ -x "$own/.local/bin/painter" ] && [ -e "$own/.local/share/applications/painter.desktop" ] || fail "not installed"
		[ ! -e "$own/.local/share/applications/evil.desktop" ] || fail "root's menu has an entry of the user's making"
		HOME=$own "$headstart" uninstall --app painter >/dev/null || fail "uninstall"
		[ -z "$(find "$own" -type f)" ] || fail "uninstall left $(find "$own" -type f)"
	done
	rm -rf "$tmp/state"
}

# Root installed something there before the home became the user's. Uninstalling must not follow the user's links.
case_uninstall() {
	mkdir "$tmp/was-roots"
	HOME=$tmp/was-roots "$headstart" install --app painter >/dev/null 2>&1 || fail "install"
	cp "$tmp/was-roots/.local/share/applications/painter.desktop" "$target/painter.desktop"
	rm -r "$tmp/was-roots/.local/share/applications"
	chown -R $user "$tmp/was-roots"
	$as_user ln -s "$target" "$tmp/was-roots/.local/share/applications"
	HOME=$roots refuses 1 "remove what --dry-run lists as its owner" "$headstart" uninstall --app painter
	[ -e "$target/painter.desktop" ] || fail "root removed a file through the user's link"
	rm -r "$tmp/was-roots" "$tmp/state" "$target/painter.desktop"
}

# A prefetcher that has carried out a plan says so in its log.
prefetcher_with_log() { HEADSTART_LOG=$1 "$prefetch" "$plan" || fail "the prefetcher"; }

# Links of the user's lead to settings, and to where a prefetcher's log would be.
case_settings_and_log() {
	printf 'nonsense\n' >"$tmp/conf"
	$as_user ln -s "$tmp/conf" "$home/conf"
	HEADSTART_CONFIG=$home/conf "$headstart" config check >"$tmp/out" 2>&1 && fail "settings of the user's choice count"
	grep -q "others could have written it" "$tmp/out" || fail "does not say why: $(cat "$tmp/out")"
	$as_user ln -s "$target/log" "$home/log"
	plan=$("$HEADSTART_TEST_BUILD/tests/shim/plan-for" "$tmp" /bin/true "$tmp/conf")
	prefetcher_with_log "$tmp/log"
	[ -s "$tmp/log" ] || fail "no log where it may be"
	prefetcher_with_log "$home/log"
	[ ! -e "$target/log" ] || fail "the log was written through the user's link"
}

run_cases
