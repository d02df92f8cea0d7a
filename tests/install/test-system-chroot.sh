#!/bin/sh
# install --system in a chroot that is a plain folder of a shared mount, as '/' is on most machines, and that has no /proc. Nobody
# else must see what the self-test mounts.
. "$HEADSTART_TEST_SOURCE/tests/install/root-lib.sh"
copy_programs
layer=$HEADSTART_TEST_PLACE/layer
inside=$layer/upper
mount --make-shared "$layer"

mounts_now() { cut -d ' ' -f 3-5 /proc/self/mountinfo; }
before=$(mounts_now)
no_trace() {
	[ "$(mounts_now)" = "$before" ] || fail "$1 left mounts: $(mounts_now | grep "$layer")"
	[ -z "$(find "$inside/tmp" -mindepth 1)" ] || fail "$1 left files in /tmp: $(find "$inside/tmp")"
}

for old in absent present; do
	rm -f "$line"
	[ "$old" = absent ] || echo '# kept' >"$line"
	chroot "$inside" "$program" install --system >/dev/null 2>"$tmp/err" || fail "$old: install: $(cat "$tmp/err")"
	no_trace "$old: install"
	[ "$(tail -n 1 "$line")" = "$name" ] || fail "$old: wrote $(cat "$line")"
	chroot "$inside" "$program" uninstall --system >/dev/null 2>"$tmp/err" || fail "$old: uninstall: $(cat "$tmp/err")"
	no_trace "$old: uninstall"
done
[ "$(cat "$line")" = '# kept' ] || fail "uninstall left $(cat "$line")"

# From there, yet another root, by a relative path.
mkdir -p "$inside/srv/other"
(cd "$inside" && tar -c --exclude=./srv --exclude=./proc --exclude=./dev . | tar -x -C srv/other)
chroot "$inside" /bin/sh -c "cd /srv && exec $program install --system --root other" >/dev/null 2>"$tmp/err" ||
	fail "--root: $(cat "$tmp/err")"
no_trace "install --root"
[ "$(tail -n 1 "$inside/srv/other/etc/ld.so.preload")" = "$name" ] || fail "--root wrote nothing"
[ "$(cat "$line")" = '# kept' ] || fail "--root wrote to the root it was called in"
check_witness
echo ok
