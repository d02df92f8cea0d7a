#!/usr/bin/python3
"""ask-keep [OPTION…] COMMAND… UID GID NUMBER: asks headstart-keep, which that command starts, as headstartd does (tools/lib/programs/keep-request.h).
Our standard input is what is handed over. Exits as the command does.

--answers FILE     writes the answers there
--peer UID         this user has made the connection
--descriptors N    hands over that many instead of one
--kind N           what is asked for
--version N, --cut N, --more N
                   another version; only so many bytes of the request; so many more
--silent           says nothing, and closes the connection
--socket           the command is the path of a socket instead; exits 0 if the user has a plan then"""
import argparse
import array
import os
import socket
import struct
import subprocess
import sys

parser = argparse.ArgumentParser(usage=__doc__)
for option in ("--answers", "--peer", "--cut"):
    parser.add_argument(option)
for option, default in (("--descriptors", 1), ("--version", 3), ("--kind", 1), ("--more", 0)):
    parser.add_argument(option, type=int, default=default)
parser.add_argument("--silent", action="store_true")
parser.add_argument("--socket", action="store_true")
parser.add_argument("rest", nargs=argparse.REMAINDER)
args = parser.parse_args()
*command, user, group, number = args.rest

process = None
if args.socket:
    ours = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.connect(command[0])
else:
    if args.peer:
        os.seteuid(int(args.peer))
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    os.seteuid(os.getuid())
    process = subprocess.Popen(command, stdin=theirs, close_fds=False)
    theirs.close()
if not args.silent:
    data = struct.pack("=IIIII", args.version, args.kind, int(user), int(group), int(number)) + bytes(args.more)
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * args.descriptors))]
    try:
        ours.sendmsg([data[:int(args.cut)] if args.cut else data], rights if args.descriptors else [])
    except BrokenPipeError: # it has not waited for that
        pass
else:
    ours.shutdown(socket.SHUT_WR)
os.close(0)
answers = b""
try:
    while answer := ours.recv(16):
        answers += answer
except ConnectionResetError:
    pass
if args.answers:
    with open(args.answers, "wb") as out:
        out.write(answers)
sys.exit(process.wait() if process else answers != b"bh")
