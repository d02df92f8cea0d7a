#!/bin/sh
# Checks where 'meson install' puts files, and that the installed programs run.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
DESTDIR=$tmp/root meson install -C "$HEADSTART_TEST_BUILD" --no-rebuild --quiet >"$tmp/out" 2>&1 ||
	fail "install: $(cat "$tmp/out")"
cd "$tmp/root"
find . -type f | sort >"$tmp/files"
for wanted in bin/headstart headstart/headstart-tool headstart/headstart-prefetch \
	headstart/libheadstart-audit.so headstart/libheadstart-preload.so headstart/headstart-shadow headstart/headstart-image-hook \
	headstart/headstart-shadow.dpkg headstart/headstartd headstart/headstart-keep lib/systemd/system/headstartd.service lib/systemd/system/headstart-keep.socket lib/systemd/system/headstart-keep@.service lib/systemd/system/headstart-shadow@.service \
	lib/systemd/system/headstart-boot.service lib/systemd/system/headstart-boot-record.service lib/systemd/system/headstart-boot-done.service lib/systemd/system-preset/95-headstart.preset lib/tmpfiles.d/headstart.conf \
	bash-completion/completions/headstart zsh/site-functions/_headstart fish/vendor_completions.d/headstart.fish; do
	grep -q "/$wanted\$" "$tmp/files" || fail "$wanted is not installed: $(cat "$tmp/files")"
done
! grep -vE '/(bin|headstart|headstart/i386|man[1578]|systemd/system|systemd/system-preset|tmpfiles\.d|share/headstart/hosts\.d|bash-completion/completions|zsh/site-functions|fish/vendor_completions\.d)/[^/]+$' "$tmp/files" || fail "unexpected files are installed"
[ "$(find . -path '*/sbin/headstart-init' -printf '%l\n')" = ../bin/headstart ] || fail "headstart-init is not installed as a link"
program=$(find . -path '*/bin/headstart')
"$program" --version | grep -qx 'headstart [0-9.]*' || fail "the installed headstart does not run"
"$program" run -- sh -c 'exit 3' && status=0 || status=$?
[ "$status" = 3 ] || fail "the installed headstart run exits $status"
# The folder that is missing after 'uninstall --system', and in an image whose /var begins empty.
if command -v systemd-tmpfiles >/dev/null; then
	state=$(defined HEADSTART_STATE_DIR)
	mkdir -p "$tmp/image/usr/lib"
	cp -r "$(dirname "$(find . -path '*/tmpfiles.d')")/tmpfiles.d" "$tmp/image/usr/lib"
	for folder in made "as it was"; do
		systemd-tmpfiles --root="$tmp/image" --create headstart.conf >"$tmp/out" 2>&1 || fail "$(cat "$tmp/out")"
		[ -d "$tmp/image$state" ] || fail "the state folder is not $folder: $(cat "$tmp/out")"
		[ "$folder" = made ] || [ "$(stat -c %a "$tmp/image$state")" = 700 ] || fail "the state folder has another mode"
		chmod 700 "$tmp/image$state"
	done
fi
echo ok
