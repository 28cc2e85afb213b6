"""Writes confusables.txt: the prototypes of UTS #39 (confusables.txt), as the installed ICU library holds them.

ICU 72 has those of Unicode 15.0. Each line is a code point that is its own NFD, a semicolon, and the code points that
take its place in a skeleton.

    python3 confusables.py 72 > confusables.txt && gzip -9n confusables.txt
"""
import ctypes
import sys
import unicodedata

version = sys.argv[1]
icu = ctypes.CDLL(f"libicui18n.so.{version}")
uc = ctypes.CDLL(f"libicuuc.so.{version}")
error = ctypes.c_int(0)
open_checker = getattr(icu, f"uspoof_open_{version}")
open_checker.restype = ctypes.c_void_p
checker = ctypes.c_void_p(open_checker(ctypes.byref(error)))
skeleton_of = getattr(icu, f"uspoof_getSkeletonUTF8_{version}")

unicode_version = (ctypes.c_uint8 * 4)()
getattr(uc, f"u_getUnicodeVersion_{version}")(unicode_version)
print(f"# Prototypes of UTS #39, Unicode {unicode_version[0]}.{unicode_version[1]}, from ICU {version}.")
print("# Derived from data files of Unicode, Inc.: https://www.unicode.org/license.txt")


def skeleton(text):
    source = text.encode()
    buffer = ctypes.create_string_buffer(512)
    error.value = 0
    n = skeleton_of(checker, ctypes.c_uint32(0), source, len(source), buffer, 512, ctypes.byref(error))
    assert error.value <= 0, (text, error.value)
    return buffer.raw[:n].decode()


for cp in range(0x110000):
    c = chr(cp)
    if 0xD800 <= cp <= 0xDFFF or unicodedata.normalize("NFD", c) != c:
        continue
    s = skeleton(c)
    if s != c:
        print(f"{cp:04X};" + " ".join(f"{ord(x):04X}" for x in s))
