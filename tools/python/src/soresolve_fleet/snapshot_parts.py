"""A snapshot file as parts: its table of sections, and each section as it is packed.

Form: lib/docs/snapshot.md, "The form of the file". Sections are compared as stored, so that joining them gives the file
back, byte for byte. Two machines with the same programs differ in the section of times, perhaps of owners and of the
machine, and share all others: names, contents, tables of symbols. Standard library only.
"""
import struct

MAGIC = b"\x7fSORSNAP"
MOST_PARTS = 32  # more than any version of the form has: 26; what follows is in the last part


def split(data):
    """The parts whose concatenation is `data`, MOST_PARTS at most; what is no snapshot is one part."""
    if len(data) < 16 or data[:8] != MAGIC:
        return [data]
    _version, count = struct.unpack_from("<II", data, 8)
    start = 16 + 16 * count
    if count > 4096 or start > len(data):
        return [data]
    parts = [data[:start]]
    at = start
    for index in range(count):
        packed = struct.unpack_from("<Q", data, 16 + 16 * index + 8)[0]
        if packed > len(data) - at:
            return [data]
        if packed:
            parts.append(data[at:at + packed])
        at += packed
    if at != len(data):
        return [data]
    if len(parts) > MOST_PARTS:
        parts[MOST_PARTS - 1:] = [b"".join(parts[MOST_PARTS - 1:])]
    return parts
