/* SPDX-License-Identifier: MIT */
/* The programs of the self-test. Each prints the same whenever it runs on the same machine. */
#include "setup/system/battery-programs.h"

#include <stddef.h>

#define SHELL_WORK                                                                                           \
	"x=$(echo a | cat); (exit 3); echo $x $?; cd / && exec env -i /bin/sh -c 'echo $0; exit 4' name"

static const char python_work[] =
	"import os, subprocess, threading\n"
	"print(subprocess.run(['sh', '-c', 'exit 5']).returncode)\n"
	"p = os.posix_spawn('/bin/sh', ['sh', '-c', 'exit 6'], {})\n"
	"print(os.waitstatus_to_exitcode(os.waitpid(p, 0)[1]))\n"
	"t = [threading.Thread(target=subprocess.call, args=(['true'],)) for i in range(8)]\n"
	"[x.start() for x in t], [x.join() for x in t]\n"
	"try: os.execv('/nonexistent', ['x'])\n"
	"except OSError as e: print(e.errno)\n"
	"import ctypes, sqlite3, ssl, json\n"
	"print(ctypes.CDLL(None).abs(-7))\n";

const struct battery_program battery_programs[] = {
	{{"true"}, false},
	{{"sh", "-c", SHELL_WORK}, false},
	{{"bash", "-c", SHELL_WORK}, false},
	{{"dash", "-c", SHELL_WORK}, false},
	{{"zsh", "-fc", SHELL_WORK}, false},
	{{"ksh", "-c", SHELL_WORK}, false},
	{{"busybox", "sh", "-c", SHELL_WORK}, false},
	/* coreutils and their like */
	{{"env", "-i", "A=b", "env"}, false},
	{{"ls", "-d", "/", "/etc", "/nonexistent"}, false},
	{{"cat", "/etc/passwd"}, false},
	{{"sort", "--parallel=4", "/etc/passwd"}, false},
	{{"date", "-u", "-d", "@0"}, false},
	{{"timeout", "20", "sh", "-c", "exit 7"}, false},
	{{"find", "/etc/passwd", "-exec", "echo", "{}", ";"}, false},
	{{"xargs", "-a", "/etc/passwd", "-n", "1", "-P", "1", "echo"}, false},
	{{"id", "root"}, false}, /* dlopen of NSS modules */
	{{"getent", "passwd", "root"}, false},
	{{"iconv", "-f", "UTF-8", "-t", "ISO-8859-1", "/etc/passwd"}, false},
	/* interpreters and developers' tools */
	{{"python3", "-c", python_work}, false},
	{{"perl", "-e", "print `echo a`; system('exit 4'); print $?>>8; exec 'sh', '-c', 'exit 3'"}, false},
	{{"ruby", "-e", "puts `echo a`; exit 3"}, false},
	{{"node", "-e", "console.log(require('child_process').spawnSync('sh', ['-c', 'exit 4']).status)"},
		false},
	{{"git", "--version"}, false},
	{{"make", "--version"}, false},
	{{"gcc", "-E", "-P", "-x", "c", "/dev/null"}, false},
	/* gdb prints the number of the process */
	{{"sh", "-c", "gdb -nx -batch -return-child-result -ex run --args sh -c 'exit 3' >/dev/null 2>&1"},
		false},
	{{"strace", "-f", "-qq", "-o", "/dev/null", "sh", "-c", "true; exit 3"}, false},
	/* setuid */
	{{"su", "--version"}, true},
	{{"sudo", "--version"}, true},
	{{"mount", "--version"}, true},
	{{"passwd", "--help"}, true},
	/* sandboxes */
	{{"unshare", "-Ur", "sh", "-c", "id -u; exit 3"}, false},
	{{"unshare", "-Ur", "sh", "-c", "id -u; exit 3"}, true},
	{{"bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "sh", "-c", "echo a; exit 3"}, false},
	{{"setpriv", "--no-new-privs", "sh", "-c", "exit 3"}, false},
	/* static */
	{{"/sbin/ldconfig", "--version"}, false},
	/* musl */
	{{"/lib/ld-musl-x86_64.so.1"}, false},
	{{"/lib/ld-musl-aarch64.so.1"}, false},
	{{"/lib/ld-musl-i386.so.1"}, false},
	/* programs that boot the machine, or that would repair it */
	{{"systemctl", "--version"}, false},
	{{"journalctl", "--version"}, false},
	{{"systemd-run", "--version"}, false},
	{{"systemd-tmpfiles", "--version"}, false},
	{{"udevadm", "--version"}, false},
	{{"agetty", "--version"}, false},
	{{"ssh", "-V"}, false},
	{{"sshd", "-V"}, false},
	{{"dpkg", "--version"}, false},
	{{"apt-get", "--version"}, false},
	{{"rpm", "--version"}, false},
	{{NULL}, false},
};
