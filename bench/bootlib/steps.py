# SPDX-License-Identifier: MIT
"""The boots: each shows the effect of the one before, and prepares the next.

They follow RESCUE in headstart-install(1) word for word.
"""

import json

from lab import LabError

STATE = "/usr/lib/boot-plans"       # descriptions of profiles, and files in a plan that nothing else reads
FILE_BYTES = 1 << 20
PAGE = 4096
REFERENCES = 3          # boots before the line is there
USE_SECONDS = 1800      # it starts gdb six times, and emulation is slow
PLANNED = ("/usr/bin/dash", "/usr/bin/udevadm", "/usr/bin/dbus-daemon", "/usr/sbin/sshd", "/usr/sbin/cron", "/usr/sbin/agetty",
           "/usr/sbin/rsyslogd", "/usr/lib/systemd/systemd-journald", "/usr/lib/systemd/systemd-logind", "/usr/sbin/chronyd",
           "/usr/bin/systemctl", "/usr/bin/mount", "/usr/bin/kmod", "/usr/bin/python3.11")
LIBRARY = "library=/usr/lib/$(uname -m)-linux-gnu/headstart/libheadstart-preload.so && "

# Every second plan is for a rotational disk: its program waits for the prefetcher.
PLANS = f"""
set -e
mkdir -p /etc/headstart && : >/etc/headstart/everywhere     # most of what a boot starts is services
mkdir -p {STATE}; cd {STATE}
device=solid
for program in {' '.join(PLANNED)}; do
	name=$(basename $program)
	program=$(readlink -f $program)
	head -c {FILE_BYTES} /dev/urandom >$name.data
	printf 'program %s\\nfile regular %s\\nrange 0 1 0 1\\nfile regular %s\\nrange 0 {FILE_BYTES // PAGE} 1 1\\n' \\
		$program $program {STATE}/$name.data | /usr/local/lib/make-profile $name.profile
	headstart plan --device $device $name.profile
	case $device in solid) device=rotational ;; *) device=solid ;; esac
done
"""
INSTALL = "headstart install --system"
UNINSTALL = "headstart uninstall --system"
WITHOUT_LIBRARY = INSTALL + " && cp -p /etc/ld.so.preload /root/line && " + LIBRARY + "mv $library /root/kept.so"
LINE_AGAIN = "cp -p /root/line /etc/ld.so.preload"
# From a running static shell, which removes the line without starting a program; then programs run again.
KILLING = "exec 2>&1; " + LIBRARY + f"""mv /root/kept.so $library && {INSTALL} &&
cp /usr/local/lib/libkiller.so $library.new && mv $library.new $library || exit 1
/usr/bin/env true && exit 2
{UNINSTALL} && exit 3
echo > /etc/ld.so.preload
/usr/bin/env true || exit 4
{LINE_AGAIN}
"""
INIT = "init=/usr/sbin/headstart-init"
RECORDERS = "headstart-boot-record headstart-boot-done"
RECORD = f"systemctl enable --quiet {RECORDERS}"
TIMELINE = "/var/lib/headstart/boot/timeline"
RECORDED = f"""
for try in $(seq 200); do
	[ ! -s {TIMELINE} ] || break     # the last that is written; the plan is there before
	sleep 1
done
dmesg | sed -n 's/.*] headstart: /headstart: /p'
test -s /var/lib/headstart/boot/plan
"""
READ_AHEAD = f"dmesg | grep -o 'headstart: asked for [0-9.]* MB' || exit 1; systemctl disable --quiet {RECORDERS} && "
REMOUNT = "mount -o remount,rw {}"
SED = "sed -i '/headstart/d' {}/etc/ld.so.preload"


def use(machine):
    """What use.py reports of a boot."""
    report = machine.run("exec /usr/bin/python3 /usr/local/lib/boot-use.py", seconds=USE_SECONDS)
    if report["script"]["status"] != 0:
        raise LabError(f"in the machine headstart failed: {report['script']['said']}")
    return json.loads(report["script"]["said"])


def boots(machine, say, rescue=True, timeline=None):
    """A list of reports, in order, each with its title and its kind (verdict.KINDS). Without `rescue` the machine is not
    broken. The timeline of the boot that headstart-init records is copied to that file."""
    done = []

    def add(title, kind, report):
        done.append({"title": title, "kind": kind, **report})
        say(f"{title}: " + (report.get("died") or f"{report['state']}, {len(report['units'])} units"))

    def boot(title, kind, script="", words=""):
        report = machine.run(script, words=words)
        if report["script"]["status"] != 0:
            raise LabError(f"in the boot '{title}' a script failed: {report['script']}")
        add(title, kind, report)

    def dies(title, words=""):
        with machine.boot(words) as console:
            console.expect(r"Kernel panic - not syncing: ")
            add(title, "dies", {"died": console.expect(r"[^\n]*\n").strip()})

    machine.run(PLANS)                                      # the first boot also makes keys and the like
    for number in range(REFERENCES):
        boot(f"without the line, {number + 1}", "before", INSTALL if number + 1 == REFERENCES else "")
    boot("with the line", "with", UNINSTALL)
    boot("uninstalled", "after", RECORD)
    boot("headstart-init records", "init", RECORDED, INIT)
    if timeline:
        machine.copy(TIMELINE, timeline)
    boot("headstart-init reads ahead", "init", READ_AHEAD + (WITHOUT_LIBRARY if rescue else ":"), INIT)
    if not rescue:
        return done
    boot("library gone", "gone")
    by_init_shell(machine)
    boot("mended by init=/bin/sh", "mended", LINE_AGAIN)
    boot("library gone, again", "gone", UNINSTALL)
    boot("mended by uninstall", "after", KILLING)
    dies("library kills")
    dies("library kills, init=/bin/sh", "init=/bin/sh")
    by_initramfs(machine)
    boot("mended by break=bottom", "mended")
    return done


def by_init_shell(machine):
    """Without the library: the first program is a shell, and prints errors."""
    with machine.boot("init=/bin/sh") as console:
        console.expect(r"\n# ")
        type_in(console, REMOUNT.format("/"))
        type_in(console, SED.format(""))
        type_in(console, REMOUNT.format("/").replace("rw", "ro"))


def by_initramfs(machine):
    """The library kills every program of the real root, also the first one, so the line is removed before that root is
    in use. The boot goes on with a root that is writable from the beginning, so only its end is checked."""
    with machine.boot("break=bottom") as console:
        console.expect(r"\(initramfs\) ")
        type_in(console, REMOUNT.format("/root"))
        type_in(console, SED.format("/root"))
        console.send("exit")
        console.wait()
    machine.report(console)


def type_in(console, command):
    """Gives a command to the shell at the console. Raises an error if it fails."""
    console.send(f"{command}; echo status=$?")
    said = console.expect(r"\nstatus=\d+")
    if not said.endswith("status=0"):
        raise LabError(f"in the machine '{command}' said: {said}")
