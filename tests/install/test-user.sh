#!/bin/sh
# install --user and uninstall --user.
. "$HEADSTART_TEST_SOURCE/tests/install/install-lib.sh"
shim=$("$HEADSTART_TEST_BUILD/tools/headstart-tool" install --help >/dev/null && sed -n \
	's/^#define HEADSTART_PRIVATE_DIR "\(.*\)"/\1/p' "$HEADSTART_TEST_BUILD/config.h")/libheadstart-preload.so
conf=$HOME/.config/environment.d/60-headstart.conf
before=$(home_now)
if [ ! -e "$shim" ]; then
	refuses 1 "there is no shim" "$headstart" install --user
	[ "$(home_now)" = "$before" ] || fail "a refusal wrote something"
	unshare -m true 2>/dev/null || skip "no root, and no shim at '$shim'"
	# The shim at its installed place, in a mount namespace of this test's own.
	cat >"$tmp/inside" <<-EOF
		set -e
		mount --make-rprivate /
		folder=\$(dirname "$shim")
		while [ ! -d "\$folder" ]; do folder=\$(dirname "\$folder"); done
		mkdir -p "$tmp/lower"
		mount -t tmpfs tmpfs "$tmp/lower"
		mkdir -p "$tmp/lower/upper" "$tmp/lower/work"
		mount -t overlay -o "lowerdir=\$folder,upperdir=$tmp/lower/upper,workdir=$tmp/lower/work" overlay "\$folder"
		mkdir -p "$(dirname "$shim")"
		cp "$preload" "$shim"
		exec "\$@"
	EOF
	inside="unshare -m sh $tmp/inside"
	$inside true 2>/dev/null || skip "no overlayfs to put the shim at its place"
else
	inside=
fi
$inside "$headstart" install --user >"$tmp/out" 2>"$tmp/err" || fail "install: $(cat "$tmp/err")"
grep -qx "wrote $conf" "$tmp/out" || fail "does not say what was written"
grep -qxF "LD_PRELOAD=\${LD_PRELOAD:+\$LD_PRELOAD:}$shim" "$conf" || fail "the variable: $(cat "$conf")"
generator=/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator
if [ -x "$generator" ]; then
	XDG_CONFIG_HOME=$HOME/.config env -u LD_PRELOAD "$generator" | grep -qx "LD_PRELOAD=$shim" ||
		fail "systemd does not take it"
	XDG_CONFIG_HOME=$HOME/.config LD_PRELOAD=/usr/lib/none.so "$generator" 2>/dev/null |
		grep -qx "LD_PRELOAD=/usr/lib/none.so:$shim" || fail "what is preloaded already is not kept"
fi
"$headstart" status | grep -qx 'user      installed' || fail "status: $("$headstart" status)"
"$headstart" uninstall --user >/dev/null || fail "uninstall"
[ "$(home_now)" = "$before" ] || fail "uninstall left: $(home_now)"

# Folders that were made for this installation, and that contain an app as well: whichever is uninstalled last removes them.
(
	export HEADSTART_STATE=$HOME/.local/state/headstart
	make_program "$tmp/programs/painter"
	for steps in '--user --app' '--app --user'; do
		for back in '--user --app' '--app --user'; do
			for step in $steps; do
				[ "$step" = --user ] || step='--app painter'
				$inside "$headstart" install $step >/dev/null 2>"$tmp/err" || fail "$step: $(cat "$tmp/err")"
			done
			for step in $back; do
				[ "$step" = --user ] || step='--app painter'
				"$headstart" uninstall $step >/dev/null || fail "uninstall $step"
			done
			[ "$(home_now)" = "$before" ] || fail "installed as '$steps', uninstalled as '$back', left: $(home_now)"
		done
	done
)

mkdir -p "$(dirname "$conf")"
echo 'LD_PRELOAD=/mine.so' >"$conf"
before=$(home_now)
refuses 1 "was not written by headstart" $inside "$headstart" install --user
[ "$(home_now)" = "$before" ] || fail "a refusal wrote something"
refuses 2 "one of --system, --user and --app" "$headstart" install --user --app sh
check_witness
echo ok
