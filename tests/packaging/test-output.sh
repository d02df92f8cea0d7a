#!/bin/sh
# build-deb and build-rpm replace the packages of an earlier build in the folder that they are given, and nothing else there. The
# package of the shims needs no 32-bit one.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
git -c safe.directory="$HEADSTART_TEST_SOURCE" -C "$HEADSTART_TEST_SOURCE" ls-files >/dev/null 2>&1 || skip "no git clone"
mkdir "$tmp/bin"
PATH=$tmp/bin:$PATH
stand_in() { # NAME LINE…
	name=$1
	shift
	printf '%s\n' '#!/bin/sh' "$@" >"$tmp/bin/$name"
	chmod +x "$tmp/bin/$name"
}

# replaces BUILD NEW OLD…: a build replaces the old packages by the new one.
replaces() {
	build=$1 new=$2
	shift 2
	mkdir "$tmp/$build"
	(cd "$tmp/$build" && touch headstart-notes.txt headstart.conf libheadstart.c "$@")
	"$HEADSTART_TEST_SOURCE/packaging/$build" -o "$tmp/$build" >"$tmp/out" 2>&1 || fail "$build: $(cat "$tmp/out")"
	LC_ALL=C ls "$tmp/$build" >"$tmp/there"
	printf '%s\n' headstart-notes.txt headstart.conf libheadstart.c "$new" | LC_ALL=C sort | diff - "$tmp/there" >&2 || fail "$build leaves something else"
}

case_debian_packages_of_an_earlier_build_are_replaced() {
	stand_in dpkg-checkbuilddeps 'exit 0'
	stand_in dpkg-buildpackage 'touch ../libheadstart-dbgsym_2_amd64.deb'
	replaces build-deb libheadstart-dbgsym_2_amd64.deb headstart_1_amd64.deb headstart_1.dsc headstart_1.tar.xz headstart_1_amd64.changes \
		headstart-bench_1_all.deb libheadstart_1_amd64.deb libheadstart-dbgsym_1_amd64.ddeb
}

case_rpm_packages_of_an_earlier_build_are_replaced() {
	stand_in rpmbuild 'while [ "$1" != --define ]; do shift; done' 'place=${2#_topdir }' 'mkdir -p "$place/RPMS"' 'touch "$place/RPMS/headstart-2-1.x86_64.rpm"'
	replaces build-rpm headstart-2-1.x86_64.rpm libheadstart-1-1.x86_64.rpm
}

# No other machine than an x86-64 one has it, nor one whose compiler makes no 32-bit code.
case_debian_package_of_the_shims_is_built_without_the_32_bit_one() {
	have dh_install || return 0
	for file in lib/aarch64-linux-gnu/headstart/libheadstart-audit.so lib/aarch64-linux-gnu/headstart/libheadstart-preload.so \
		share/man/man8/libheadstart-audit.8 share/man/man8/libheadstart-preload.8; do
		mkdir -p "$(dirname "$tmp/source/debian/tmp/usr/$file")"
		touch "$tmp/source/debian/tmp/usr/$file"
		echo "./usr/$file" >>"$tmp/wanted"
	done
	cp -r "$HEADSTART_TEST_SOURCE/packaging/debian/." "$tmp/source/debian"
	(cd "$tmp/source" && DEB_HOST_ARCH=arm64 dh_install -plibheadstart) >"$tmp/out" 2>&1 || fail "$(cat "$tmp/out")"
	(cd "$tmp/source/debian/libheadstart" && find . -type f) | LC_ALL=C sort | diff "$tmp/wanted" - >&2 || fail "other files are packaged"
}

run_cases
