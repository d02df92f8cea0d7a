# SPDX-License-Identifier: MIT
"""hangs.py FOLDER FILE: a FUSE file system that is an empty folder, which anybody may enter. If headstartd or a child of it tries, it
gets no answer, and FILE is made. It ends when it is killed."""
import ctypes
import os
import struct
import sys

FORGET, GETATTR, INIT, ACCESS, INTERRUPT, BATCH_FORGET = 2, 3, 26, 34, 36, 42
ENOSYS = 38

folder, asked = sys.argv[1:]
device = os.open("/dev/fuse", os.O_RDWR)
libc = ctypes.CDLL(None, use_errno=True)
options = f"fd={device},rootmode=40000,user_id=0,group_id=0"
if libc.mount(b"hangs", folder.encode(), b"fuse", 0, options.encode()) != 0:
    sys.exit(f"mount: {os.strerror(ctypes.get_errno())}")


def is_daemon(pid):
    with open(f"/proc/{pid}/comm", encoding="ascii") as comm:
        return comm.read() == "headstartd\n"


while True:
    request = os.read(device, 1 << 17)
    _, operation, unique, _, _, _, pid, _ = struct.unpack_from("=IIQQIIII", request)
    error, answer = 0, b""
    if operation in (FORGET, BATCH_FORGET, INTERRUPT):
        continue
    if operation == INIT:
        answer = struct.pack("=IIIIHHIIHHI7I", 7, 31, 0, 0, 12, 9, 4096, 1, 0, 0, 0, *[0] * 7)
    elif operation == GETATTR:
        answer = struct.pack("=QII6Q10I", 3600, 0, 0, 1, *[0] * 5, 0, 0, 0, 0o40755, 2, 0, 0, 0, 4096, 0)
    elif operation == ACCESS and is_daemon(pid):
        with open(asked, "w", encoding="ascii"):
            continue
    elif operation != ACCESS:
        error = -ENOSYS
    os.write(device, struct.pack("=IiQ", 16 + len(answer), error, unique) + answer)
