#!/bin/sh
# Runs what --shadow writes, in a mount namespace of the test's own: start, stop, an upgraded original, dpkg over the mounts.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
driver=$HEADSTART_TEST_BUILD/tests/package/shadow-driver
awkward=" a 'b' \$HOME %h \"c\" \\"
folder=$tmp/shadow$awkward
root=$tmp/root
copies=$folder$root/usr/lib
packaging=$HEADSTART_TEST_SOURCE/packaging/shadow
mkdir -p "$copies" "$root/usr/lib" "$tmp/again" "$tmp/bin"

make_files() {
	echo "original one" >"$root/usr/lib/one.so"
	echo "original two" >"$root/usr/lib/two$awkward.so"
	echo "copy of one, relaid" >"$copies/one.so"
	echo "copy of two, relaid" >"$copies/two$awkward.so"
}
write_shadow() {
	"$driver" "$folder" "$packaging" "$tmp/p.profile" "$root/usr/lib/one.so" "$root/usr/lib/two$awkward.so"
}
make_files
write_shadow

# The scripts are the installed ones, and the order of the files makes no difference to the list. Paths that cannot be written
# into a list are refused, and so is a folder without the scripts.
for name in headstart-shadow headstart-image-hook; do
	cmp "$folder/$name" "$packaging/$name" || fail "$name is not the installed one"
	[ -x "$folder/$name" ] || fail "$name cannot be executed"
done
cp "$folder"/headstart-shadow.list "$tmp/again"
"$driver" "$folder" "$packaging" "$tmp/p.profile" "$root/usr/lib/two$awkward.so" "$root/usr/lib/one.so"
cmp "$folder/headstart-shadow.list" "$tmp/again/headstart-shadow.list" || fail "the list depends on the order of the files"
newline="/x
y"
refuses 1 EINVAL "$driver" "$folder" "$packaging" "$tmp/p.profile" "$newline"
refuses 1 EINVAL "$driver" "$folder" "$packaging" "$newline"
refuses 1 EINVAL "$driver" "$folder" "$packaging" "$tmp/p.profile" relative
refuses 1 ENOENT "$driver" "$folder" "$tmp/again" "$tmp/p.profile"
cmp "$folder/headstart-shadow.list" "$tmp/again/headstart-shadow.list" || fail "what was refused was written"

# The hook for image builders makes a relayout of the tree that it is given.
printf '#!/bin/sh\nfor word; do echo "<$word>"; done\n' >"$tmp/bin/headstart"
chmod +x "$tmp/bin/headstart"
for run in argument elsewhere variable; do
	case $run in
	argument) got=$(PATH=$tmp/bin:$PATH "$folder/headstart-image-hook" "/the root") ;;
	elsewhere) got=$(PATH=$tmp/bin:$PATH HEADSTART_PROFILE=$tmp/p.profile "$packaging/headstart-image-hook" "/the root") ;;
	variable) got=$(PATH=$tmp/bin:$PATH BUILDROOT="/the root" "$folder/headstart-image-hook" final) ;;
	esac
	[ "$(echo "$got" | tr '\n' ' ')" = "<relayout> <--profile> <$tmp/p.profile> <--tree> </the root> <--in-place> <--force> " ] ||
		fail "the image hook ran: $got"
done
refuses 2 "usage: headstart-image-hook ROOT" env -u BUILDROOT "$folder/headstart-image-hook"
refuses 2 "set HEADSTART_PROFILE" env -u HEADSTART_PROFILE "$packaging/headstart-image-hook" /
refuses 2 "usage: headstart-shadow" sh "$folder/headstart-shadow" begin

# systemd understands the unit as intended, for a folder of any name.
if have systemd-analyze && have systemd-escape; then
	cp "$packaging/headstart-shadow@.service" "$tmp/again"
	unit=$(systemd-escape --path --template=headstart-shadow@.service "$folder")
	systemd-analyze --man=no verify "$tmp/again/$unit" >"$tmp/verify" 2>&1 ||
		fail "systemd-analyze verify: $(cat "$tmp/verify")"
	! grep -F headstart-shadow "$tmp/verify" || fail "systemd-analyze verify has remarks"
fi

unshare -m --propagation private true 2>/dev/null || {
	untried "mounting: no root, or no mount namespaces"
	exit 0
}

# The rest runs in a mount namespace of its own, where the shell functions are defined again.
cat >"$tmp/inside" <<'END'
set -eu
fail() { echo "FAIL: $*" >&2; exit 1; }
one=$root/usr/lib/one.so two="$root/usr/lib/two$awkward.so"
mount -t tmpfs none /run
run() { sh "$folder/headstart-shadow" "$@"; }
mounts() { grep -cF "$root/usr/lib" /proc/self/mountinfo || :; }
shows() { [ "$(cat "$1")" = "$2" ] || fail "$1 is '$(cat "$1")', not '$2'"; }

run start
shows "$one" "copy of one, relaid"
shows "$two" "copy of two, relaid"
! echo x 2>/dev/null >"$one" || fail "the copy can be written through the original's name"
[ "$(run status | cut -c1-8 | tr -d '\n')" = "mounted mounted " ] || fail "status: $(run status)"
run start
[ "$(mounts)" = 2 ] || fail "started twice, $(mounts) mounts"

# A second folder with copies of the same files finds them covered. It neither covers nor uncovers them, nor says that it had.
mkdir -p "$tmp/second$root/usr/lib"
cp "$one" "$two" "$tmp/second$root/usr/lib"
cp "$folder"/headstart-* "$tmp/second"
second() { sh "$tmp/second/headstart-shadow" "$@"; }
for verb in start stop pause resume; do
	second $verb 2>"$tmp/said" || fail "$verb of a second folder"
	[ "$(grep -c "something else is mounted on '$root/usr/lib/" "$tmp/said")" = 2 ] || fail "$verb of a second folder says: $(cat "$tmp/said")"
	[ "$(mounts)" = 2 ] || fail "after $verb of a second folder there are $(mounts) mounts"
done
[ "$(second status | cut -c1-8 | tr -d '\n')" = "other   other   " ] || fail "status of a second folder: $(second status)"
shows "$one" "copy of one, relaid"

# Nothing may be relaid into the folder now: the copies would be taken for the originals, and nobody would know what is mounted.
printf 'program %s\nfile regular %s\nrange 0 1 0 1\n' "$one" "$one" | "$make_profile" "$tmp/profile"
cp "$folder/headstart-shadow.list" "$tmp/list"
! "$headstart" relayout --profile "$tmp/profile" --shadow "$folder" >"$tmp/said" 2>&1 || fail "relaid under a mount"
grep -qF "the copy of '$one' is mounted: run '$folder/headstart-shadow stop' first" "$tmp/said" || fail "relayout under a mount says: $(cat "$tmp/said")"
cmp "$folder/headstart-shadow.list" "$tmp/list" || fail "the list has changed under the mounts"
rm "$folder/headstart-shadow.list"
! "$headstart" relayout --profile "$tmp/profile" --shadow "$folder" "$one" >"$tmp/said" 2>&1 || fail "relaid under a mount"
grep -qF "'headstart-shadow stop' uncovers the original" "$tmp/said" || fail "without a list, relayout says: $(cat "$tmp/said")"
cp "$tmp/list" "$folder/headstart-shadow.list"

# A program has the file open: stopping must not fail.
exec 3<"$one"
run stop
exec 3<&-
[ "$(mounts)" = 0 ] || fail "stopped, and $(mounts) mounts are left"
shows "$one" "original one"
shows "$two" "original two"
run stop

# Without its list it can do nothing, and must not say that it has; but dpkg goes on.
mv "$folder/headstart-shadow.list" "$tmp/list"
for verb in start status resume stop; do
	! run "$verb" 2>"$tmp/said" || fail "$verb without a list succeeds"
	grep -qF "headstart-shadow.list" "$tmp/said" || fail "$verb without a list says: $(cat "$tmp/said")"
done
run pause || fail "dpkg is stopped by a folder without a list"
mv "$tmp/list" "$folder/headstart-shadow.list"

# The old copy does not hide an upgraded original; the other copy is still mounted.
echo "original one, upgraded" >"$one"
run start 2>"$tmp/said"
grep -qF "'$one' has changed" "$tmp/said" || fail "nothing is said of an upgraded original: $(cat "$tmp/said")"
[ "$(wc -l <"$tmp/said")" = 1 ] || fail "too much is said: $(cat "$tmp/said")"
shows "$one" "original one, upgraded"
shows "$two" "copy of two, relaid"
[ "$(run status | cut -c1-8 | tr -d '\n')" = "changed mounted " ] || fail "status: $(run status)"
run stop

# The same size, but another time.
printf 'ORIGINAL two\n' >"$two"
touch -d '2001-01-01' "$two"
run start 2>/dev/null
shows "$two" "ORIGINAL two"
END
root=$root folder=$folder awkward=$awkward tmp=$tmp headstart=$headstart make_profile=$make_profile \
	unshare -m --propagation private sh "$tmp/inside"

if ! command -v dpkg-deb >/dev/null || ! [ -d /etc/dpkg/dpkg.cfg.d ]; then
	untried "dpkg's hooks: no dpkg"
	exit 0
fi

# dpkg upgrades a package that has a file under a mount: that fails without the hooks, and works with them.
make_package() {    # VERSION
	mkdir -p "$tmp/deb/DEBIAN" "$tmp/deb/usr/lib"
	printf 'Package: one\nVersion: %s\nArchitecture: all\nMaintainer: m\nDescription: d\n' "$1" >"$tmp/deb/DEBIAN/control"
	echo "original of version $1" >"$tmp/deb/usr/lib/one.so"
	dpkg-deb --root-owner-group -b "$tmp/deb" "$tmp/one-$1.deb" >/dev/null
}
make_package 1
make_package 2.0
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$tmp/cfg"
: >"$root/var/lib/dpkg/status"
make_files
cat >"$tmp/inside" <<'END'
set -eu
fail() { echo "FAIL: $*" >&2; exit 1; }
one=$root/usr/lib/one.so
shows() { [ "$(cat "$1")" = "$2" ] || fail "$1 is '$(cat "$1")', not '$2'"; }
install() { dpkg --root="$root" --log=/dev/null -i "$1" >"$tmp/log" 2>&1; }
mount -t tmpfs none /run
mount --bind "$tmp/cfg" /etc/dpkg/dpkg.cfg.d
install "$tmp/one-1.deb" || fail "dpkg: $(cat "$tmp/log")"
"$driver" "$folder" "$packaging" "$tmp/p.profile" "$one" "$root/usr/lib/two$awkward.so"
sh "$folder/headstart-shadow" start
! install "$tmp/one-2.0.deb" || fail "dpkg replaced a mount point: are the hooks of any use?"
shows "$one" "copy of one, relaid"
cp "$packaging/headstart-shadow.dpkg" "$tmp/cfg/headstart-shadow"
install "$tmp/one-2.0.deb" || fail "dpkg with the hooks: $(cat "$tmp/log")"
shows "$one" "original of version 2.0"
shows "$root/usr/lib/two$awkward.so" "copy of two, relaid"
grep -qF "'$one' has changed" "$tmp/log" || fail "nothing was said of the upgraded file: $(cat "$tmp/log")"

# Copies that were stopped stay so, whatever dpkg does.
sh "$folder/headstart-shadow" stop
install "$tmp/one-1.deb" || fail "dpkg with the hooks, and nothing mounted: $(cat "$tmp/log")"
shows "$root/usr/lib/two$awkward.so" "original two"
END
root=$root folder=$folder packaging=$packaging awkward=$awkward tmp=$tmp driver=$driver unshare -m --propagation private sh "$tmp/inside"
echo ok
