#!/bin/sh
# The RPM packages: they have the files that 'meson install' writes, each in one package; and on a copy of this machine they are
# installed and removed, and take the line out of /etc/ld.so.preload before the library.
. "$HEADSTART_TEST_SOURCE/tests/install/install-lib.sh"
needs_mounts
for needed in git rpmbuild scdoc; do
	command -v "$needed" >/dev/null || skip "no $needed"
done
[ -e "$HEADSTART_TEST_SOURCE/.git" ] || skip "the source is no clone"
private=$(defined HEADSTART_PRIVATE_DIR)
case $private in
/usr/lib*/headstart) ;;
*) skip "the prefix of this build is not /usr" ;;
esac
export HOME="$tmp" # Debian's rpm makes a database there

case_packages_have_what_is_installed() {
	"$HEADSTART_TEST_SOURCE/packaging/build-rpm" -o "$tmp/rpms" --nodeps --define "_libdir ${private%/headstart}" >"$tmp/out" 2>&1 ||
		fail "build-rpm: $(cat "$tmp/out")"
	DESTDIR=$tmp/installed meson install -C "$HEADSTART_TEST_BUILD" --no-rebuild --quiet >"$tmp/out" 2>&1 || fail "install: $(cat "$tmp/out")"
	(cd "$tmp/installed" && find . ! -type d | sed 's/^\.//' | sort) >"$tmp/wanted"
	for package in "$tmp"/rpms/*.rpm; do
		rpm -qp --qf '[%{FILEMODES:perms} %{FILENAMES}\n]' "$package" | sed -n 's/^[^d][^ ]* //p' |
			grep -v '^/usr/lib/\.build-id/\|^/usr/share/\(doc\|licenses\)/' >"$tmp/files"
		cat "$tmp/files" >>"$tmp/all"
		case $package in
		*/headstart-bench-*) ! grep -v 'headstart-bench' "$tmp/files" || fail "these are not of the benchmark" ;;
		*) cat "$tmp/files" >>"$tmp/packaged" ;;
		esac
	done
	grep -qx /usr/bin/headstart-bench "$tmp/all" || fail "no benchmark: $(cat "$tmp/all")"
	[ -z "$(sort "$tmp/all" | uniq -d)" ] || fail "in two packages: $(sort "$tmp/all" | uniq -d)"
	sort "$tmp/packaged" | diff "$tmp/wanted" - >"$tmp/out" || fail "packaged otherwise than installed: $(cat "$tmp/out")"
}

# In a mount namespace that ends with the case.
in_copy() {
	unshare --mount --propagation private sh -c '
		mount -t tmpfs tmpfs "$1" && mkdir "$1/upper" "$1/work" "$1/root" || exit 98
		mount -t overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" overlay "$1/root" 2>/dev/null || exit 98
		for folder in proc sys dev; do
			mount --rbind "/$folder" "$1/root/$folder" || exit 98
		done
		rm -f "$1/root/etc/ld.so.preload"
		cp "$2"/headstart-[0-9]*.rpm "$2"/libheadstart-*.rpm "$1/root/tmp"
		exec chroot "$1/root" sh -euc "$3"' sh "$tmp/copy" "$tmp/rpms" "$1" >"$tmp/out" 2>&1
}

case_packages_are_installed_and_removed() {
	mkdir "$tmp/copy"
	in_copy '
		rpm -i --nodeps /tmp/headstart-*.rpm /tmp/libheadstart-*.rpm
		headstart --version
		headstart install --system
		grep libheadstart-preload /etc/ld.so.preload
		# A hand-written line stops the removal.
		echo '"$private"'/libheadstart-preload.so >>/etc/ld.so.preload
		! rpm -e --nodeps libheadstart
		test -e '"$private"'/libheadstart-preload.so
		rm /etc/ld.so.preload
		headstart install --system
		rpm -e --nodeps libheadstart headstart
		test ! -e /etc/ld.so.preload
		test ! -e '"$private"'/libheadstart-preload.so
		test ! -e /usr/bin/headstart' || case $? in
	98) skip "no overlayfs on '/' here" ;;
	*) fail "$(cat "$tmp/out")" ;;
	esac
	grep -q 'still names' "$tmp/out" || fail "the removal did not say what stopped it: $(cat "$tmp/out")"
	! grep 'cannot be preloaded' "$tmp/out" || fail "the library was removed before the line"
}

run_cases
