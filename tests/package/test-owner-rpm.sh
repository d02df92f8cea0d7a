#!/bin/sh
# Owners of files in an rpm database of the test's own, with packages of its own.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
driver=$HEADSTART_TEST_BUILD/tests/package/owner-driver
if ! command -v rpm >/dev/null || ! command -v rpmbuild >/dev/null; then
	skip "rpm and rpmbuild are not installed"
fi
[ "$(id -u)" = 0 ] || skip "installing packages into another root needs root"
root=$tmp/root
export HOME="$tmp" # Debian's rpm makes a database there
force=$(rpm --help | grep -o -- --force-debian) || : # Debian's rpm needs it before 4.20, and does not know it since

add_package() {    # NAME PATH…
	spec=$tmp/$1.spec
	printf 'Name: %s\nVersion: 1\nRelease: 1\nSummary: s\nLicense: l\nBuildArch: noarch\n%%description\nd\n%%install\n' "$1" >"$spec"
	name=$1
	shift
	for path in "$@"; do
		printf 'mkdir -p "%%{buildroot}%s"\necho content >"%%{buildroot}%s"\n' "$(dirname "$path")" "$path"
	done >>"$spec"
	echo %files >>"$spec"
	printf '"%s"\n' "$@" >>"$spec"
	rpmbuild -bb --define "_topdir $tmp/rpm" "$spec" >"$tmp/log" 2>&1 || fail "rpmbuild: $(cat "$tmp/log")"
	rpm --root "$root" --dbpath /var/lib/rpm -i --nodeps $force "$tmp/rpm/RPMS/noarch/$name-1-1.noarch.rpm" \
		>"$tmp/log" 2>&1 || fail "rpm -i: $(cat "$tmp/log")"
}

mkdir -p "$root/usr/lib"
ln -s usr/lib "$root/lib"
add_package one /usr/lib/libone.so "/usr/lib/a b.so" /opt/shared
add_package two /opt/shared /opt/two

case_owners_are_found() {
	got=$("$driver" "$root" /opt/two /usr/lib/libone.so /usr/lib "/usr/lib/a b.so" /lib/libone.so /gone | cut -d'|' -f1-2 | tr '\n' ' ')
	[ "$got" = "rpm|two-1-1.noarch rpm|one-1-1.noarch - rpm|one-1-1.noarch rpm|one-1-1.noarch - " ] || fail "owners: $got"
	case $("$driver" "$root" /opt/shared) in
	"rpm|one-1-1.noarch|/opt/shared|use -o or --shadow" | "rpm|two-1-1.noarch|/opt/shared|use -o or --shadow") ;;
	*) fail "a shared file: $("$driver" "$root" /opt/shared)" ;;
	esac
}

# Looking up an owner creates no database where there is none. A damaged database is an error.
case_database_is_neither_made_nor_guessed() {
	mkdir "$tmp/empty"
	[ "$("$driver" "$tmp/empty" /usr/lib/libone.so)" = - ] || fail "no database"
	[ -z "$(ls -A "$tmp/empty")" ] || fail "a database was made"
	head -c 5000 /dev/zero >"$root/var/lib/rpm/rpmdb.sqlite"
	refuses 1 EIO "$driver" "$root" /usr/lib/libone.so
}

run_cases
