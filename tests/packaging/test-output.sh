#!/bin/sh
# build-deb and build-rpm replace the packages of an earlier build in the folder that they are given, and nothing else there.
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

run_cases
