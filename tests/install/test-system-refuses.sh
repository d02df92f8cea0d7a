#!/bin/sh
# install --system refuses these, and then writes nothing.
. "$HEADSTART_TEST_SOURCE/tests/install/root-lib.sh"
copy_programs
mkdir -p "$root$(dirname "$(dirname "$(dirname "$record")")")"
shim=$private/libheadstart-preload.so
cp "$root$shim" "$tmp/shim"

etc_now() {
	ls -lan --time-style=full-iso "$root/etc"
	[ ! -f "$line" ] || cat "$line"
	find "$root/var"
}

# refuses_to_install WORDS: in one line, with these words, and with nothing written.
refuses_to_install() {
	before=$(etc_now)
	refuses 1 "$1" "$headstart" install --system --root "$root"
	[ "$(etc_now)" = "$before" ] ||
		fail "wrote something though it refused: $1"
}
put_back() {
	rm -rf "${root:?}$shim"
	cp "$tmp/shim" "$root$shim"
}

for_others "$headstart" "$headstart-tool"
refuses 1 "sudo headstart install --system" $as_nobody "$others/headstart" install --system
refuses 1 "sudo headstart uninstall --system" $as_nobody "$others/headstart" uninstall --system
refuses 1 "cannot enter '$tmp/nothing'" "$headstart" install --system --root "$tmp/nothing"
refuses 2 "--root needs --system" "$headstart" install --root "$root" --user

# The library.
rm "$root$shim"
refuses_to_install "does not exist"
head -c 3000 "$tmp/shim" >"$root$shim"
refuses_to_install "is truncated"
echo 'not a library at all, but long enough to be read' >"$root$shim"
refuses_to_install "is not an ELF file"
: >"$root$shim"
refuses_to_install "is not an ELF file"
put_back
chmod o+w "$root$shim"
refuses_to_install "could be replaced by others than root"
put_back
chown 65534 "$root$shim"
refuses_to_install "could be replaced by others than root"
put_back
chmod g+w "$root$(dirname "$shim")"
refuses_to_install "could be replaced by others than root"
chmod g-w "$root$(dirname "$shim")"
mkdir "$tmp/other"
mount --bind "$root$private" "$root$private"
refuses_to_install "mounted later"
umount --lazy "$root$private"
printf '\002\000\000\000\000\000\000\000\000\000\003\000\050\000' |
	dd of="$root$shim" bs=1 seek=5 conv=notrunc 2>/dev/null
refuses_to_install "$shim"
put_back

# The build is for another folder than the loader's $LIB, as meson guesses without dpkg-architecture. Here the loader looks
# elsewhere instead.
loader=$(ldd /bin/true | grep -oE '/[^ ]*/ld-linux[^ ]*')
lib=$(dst_lib "$loader")
if [ -n "$lib" ]; then
	cp "$root$loader" "$tmp/loader"
	sed -i "s|$lib|${lib%?}_|g" "$root$loader"
	refuses_to_install "${lib%?}_/headstart/libheadstart-preload.so': set it up with --libdir=${lib%?}_,"
	cp "$tmp/loader" "$root$loader"
fi

# A library that harms programs. Each of these passes all checks but the self-test.
harmful() {
	cc -shared -fPIC -nostdlib -O1 -fno-stack-protector -x c -o "$root$shim" - 2>"$tmp/err" ||
		fail "cc: $(cat "$tmp/err")"
}
if command -v cc >/dev/null && [ "$(uname -m)" = x86_64 ]; then
	syscall='static long call(long n, long a, long b, long c) { long r; __asm__ volatile("syscall" : "=a"(r)
		: "0"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory"); return r; }'
	echo 'extern int nobody_has_this; int *needed = &nobody_has_this;' | harmful
	refuses_to_install "exits with status 127"
	printf '%s\n' "$syscall __attribute__((constructor)) void f(void) { call(1, 2, (long)\"hello\\n\", 6); }" | harmful
	refuses_to_install 'says on standard error "hello"'
	printf '%s\n' "$syscall __attribute__((constructor)) void f(void) { call(1, 1, (long)\"hello\\n\", 6); }" | harmful
	refuses_to_install 'prints "hello"'
	echo '__attribute__((constructor)) void f(void) { *(volatile int *)0 = 0; }' | harmful
	refuses_to_install "is ended by signal 11"
	# It leaves a descriptor open: only headstart-self-test notices that.
	printf '%s\n' "$syscall __attribute__((constructor)) void f(void) { call(32, 0, 0, 0); }" | harmful
	refuses_to_install "headstart-self-test' prints \"next descriptor"
	# It leaves a child behind.
	printf '%s\n' "$syscall __attribute__((constructor)) void f(void) { if (call(57, 0, 0, 0) == 0) call(231, 0, 0, 0); }" | harmful
	refuses_to_install "headstart-self-test"
	put_back
else
	untried "libraries that harm: no compiler, or another processor"
fi

# The file.
echo /nonexistent/library.so >"$line"
refuses_to_install "already, without the new line"
rm "$line"
ln -s nowhere "$line"
refuses_to_install "leads nowhere"
rm "$line"
mkdir "$line"
refuses_to_install "is not a regular file"
rmdir "$line"
mkfifo "$line"
refuses_to_install "is not a regular file"
rm "$line"
: >"$line"
ln "$line" "$line.2"
refuses 1 "more than one name" in_root "$program" install --system
[ ! -s "$line" ] || fail "wrote to a file with two names"
rm "$line.2" "$line"

# Without the record, uninstalling could not restore the file exactly: a full disk, and a read-only one.
mkdir -p "$root/var/lib/headstart"
mount -t tmpfs -o size=4k tmpfs "$root/var/lib/headstart"
head -c 4096 /dev/zero >"$root/var/lib/headstart/full"
refuses_to_install "cannot write the record '/var/lib/headstart/install/ld.so.preload': No space left"
mount -o remount,ro "$root/var/lib/headstart"
refuses_to_install "cannot make the folder '/var/lib/headstart/install': Read-only"
mount -o remount,rw "$root/var/lib/headstart"
mkdir "$root/var/lib/headstart/install"
mount -o remount,ro "$root/var/lib/headstart"
refuses_to_install "cannot write the record '/var/lib/headstart/install/ld.so.preload': Read-only"
umount --lazy "$root/var/lib/headstart"
mount --bind "$root/etc" "$root/etc"
mount -o remount,bind,ro "$root/etc"
refuses_to_install "cannot change '/etc/ld.so.preload': Read-only"
umount --lazy "$root/etc"
rm -r "$root/var/lib/headstart"

# ld.so does not get as far as our name: install must not say that it is installed.
printf '\000' >"$line"
refuses_to_install "does not load it"
rm "$line"

# A program whose output always differs proves nothing.
mkdir -p "$root/usr/local/bin"
printf '#!/bin/sh\necho $$\ncat /proc/sys/kernel/random/uuid\n' >"$root/usr/local/bin/zsh"
chmod +x "$root/usr/local/bin/zsh"
in_root "$program" install --system >/dev/null || fail "does not install at all"
check_witness
echo ok
