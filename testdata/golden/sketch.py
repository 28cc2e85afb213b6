"""docs/design/sketch.md in Python, section by section: from text to band keys.

Written from that page alone, to be read next to it. Plain rather than fast. Texts are str; 64-bit numbers are int.
"""

import codecs
import math
import struct
import sys

import unicodedata2 as ucd
import xxhash
from fontTools import unicodedata as scripts

assert sys.version_info >= (3, 11)  # its case foldings are those of Unicode 14.0, to which 15.0 added none
assert ucd.unidata_version == "15.0.0"
assert "Scripts-15.0.0.txt" in open(scripts.Scripts.__file__, encoding="utf-8").read(1000)

MASK64 = 2**64 - 1
MERSENNE61 = 2**61 - 1


# --- 1. Normalise ---------------------------------------------------------------------------------------------------

def repair(data: bytes) -> str:
    return data.decode("utf-8", errors="one U+FFFD a byte")


codecs.register_error("one U+FFFD a byte", lambda e: ("\ufffd" * (e.end - e.start), e.end))


def strip(text: str) -> str:
    return "".join(c for c in text if ucd.category(c) != "Cf")


def fold(text: str) -> str:
    return "".join(map(fold_code_point, text))


def fold_code_point(c: str) -> str:
    """Simple case folding (C and S) from Python's full one (C and F).

    Where full folding yields one code point, it is the C mapping. Where it yields several, the S mapping, if there is one,
    is the lower-case letter; İ, whose lower case is two code points, has none. Python's own tables may be of another
    version than 15.0; foldings of assigned code points never change, so only those not yet assigned in 15.0 are excluded.
    """
    if ucd.category(c) == "Cn":
        return c
    for folded in (c.casefold(), c.lower()):
        if len(folded) == 1:
            return folded
    return c


def nfkc(text: str) -> str:
    return ucd.normalize("NFKC", stream_safe(text))


def stream_safe(text: str) -> str:
    if len(text) <= 10:  # a code point has at most three non-starters: such a text cannot reach the limit
        return text
    out, count = [], 0
    for c in text:
        kinds = [is_non_starter(d) for d in ucd.normalize("NFKD", c)]
        if count + leading_true(kinds) > 30:
            out.append("\u034f")
            count = 0
        out.append(c)
        count = count + len(kinds) if all(kinds) else leading_true(kinds[::-1])
    return "".join(out)


def leading_true(kinds: list) -> int:
    return kinds.index(False) if False in kinds else len(kinds)


def is_non_starter(c: str) -> bool:
    return ucd.combining(c) != 0 or c in COMPOSES_WITH_PREVIOUS


def composes_with_previous() -> set:
    """The code points with NFKC_Quick_Check=Maybe: second in a primary composite, or a Hangul vowel or final consonant."""
    found = {chr(c) for c in [*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)]}
    for c in map(chr, range(0x110000)):
        parts = ucd.decomposition(c).split()
        if len(parts) == 2 and not parts[0].startswith("<") and ucd.normalize("NFC", c) == c:
            found.add(chr(int(parts[1], 16)))
    return found


COMPOSES_WITH_PREVIOUS = composes_with_previous()


def normalize(name: str, data: bytes) -> str:
    text = repair(data)
    return {"nfkc-fold": lambda: nfkc(fold(nfkc(strip(text)))), "none": lambda: text}[name]()


# --- 2. Tokenise ----------------------------------------------------------------------------------------------------

WITHOUT_SPACES = set("""Ahom Bopomofo Han Hiragana Katakana Khitan_Small_Script Khmer Lao Myanmar New_Tai_Lue Nushu Tai_Le
    Tai_Tham Tai_Viet Tangut Thai""".split())
assert WITHOUT_SPACES <= set(scripts.Scripts.NAMES.values())

WHITE_SPACE = {chr(c) for c in [*range(0x09, 0x0E), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029,
                                0x202F, 0x205F, 0x3000]}


def word_class(c: str) -> str:
    if ucd.category(c)[0] not in "LMN":
        return "separator"
    if c in "\u3006\u30fc" or scripts.Scripts.NAMES[scripts.script(c)] in WITHOUT_SPACES:
        return "alone"
    return "word"


def white_space_class(c: str) -> str:
    return "separator" if c in WHITE_SPACE else "word"


def runs(text: str, class_of) -> list:
    tokens, before = [], "separator"
    for c in text:
        kind = class_of(c)
        if kind == "word" and before == "word":
            tokens[-1] += c
        elif kind != "separator":
            tokens.append(c)
        before = kind
    return tokens


def tokenize(name: str, text: str) -> list:
    return {
        "word": lambda: runs(text, word_class),
        "whitespace": lambda: runs(text, white_space_class),
        "char": lambda: list(text),
    }[name]()


# --- 3. Shingle and hash --------------------------------------------------------------------------------------------

def shingle(tokenizer: str, n: int, tokens: list) -> list:
    """The hash of every shingle, in order of appearance, equal ones repeated."""
    if not tokens:
        return []
    glue = "" if tokenizer == "char" else " "
    last = max(len(tokens) - n, 0)
    return [xxh3_64(glue.join(tokens[i:i + n]).encode()) for i in range(last + 1)]


def xxh3_64(data: bytes) -> int:
    return xxhash.xxh3_64_intdigest(data)


# --- 4. Sketch ------------------------------------------------------------------------------------------------------

class SplitMix64:
    def __init__(self, state: int):
        self.state = state

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK64
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK64
        return z ^ (z >> 31)


def fold128(a: int, b: int) -> int:
    return (a * b >> 64) ^ (a * b & MASK64)


def fss(k: int, seed: int, hashes: list) -> list:
    random = SplitMix64(seed)
    slots = [MASK64] * k
    for i in range(2 * k):
        s, m = random.next(), random.next() | 1
        for x in hashes:
            h = fold128(x ^ s, m)
            slot = ((h >> 32) * k) >> 32 if i < k else i - k
            slots[slot] = min(slots[slot], (i << 32) | (h & 0xFFFFFFFF))
        if MASK64 not in slots:
            break
    return slots


def affine(k: int, seed: int, hashes: list) -> list:
    random = SplitMix64(seed)
    slots = []
    for _ in range(k):
        a, b = random.next() | 1, random.next()
        slots.append(min((a * x + b) & MASK64 for x in hashes))
    return slots


def signature(name: str, k: int, seed: int, hashes: list) -> list:
    return {"fss": fss, "affine": affine}[name](k, seed, hashes)


# --- 5. Band keys ---------------------------------------------------------------------------------------------------

def band_keys(name: str, bands: int, rows: int, slots: list) -> list:
    """One (high, low) for each band."""
    key = {"xxh3": xxh3_key, "sum": sum_key}[name]
    return [key(j, slots[j * rows:(j + 1) * rows]) for j in range(bands)]


def xxh3_key(j: int, rows: list) -> tuple:
    return divmod(xxhash.xxh3_128_intdigest(little_endian(rows), seed=j), 2**64)


def sum_key(_: int, rows: list) -> tuple:
    return 0, sum(rows) % MERSENNE61


def little_endian(numbers: list) -> bytes:
    return b"".join(x.to_bytes(8, "little") for x in numbers)


# --- docs/reference/fingerprints.md: SimHash ----------------------------------------------------------------------------------

def simhash(bits: int, weight: str, hashes: list, table: dict = {}, others: int = 1) -> list:
    """The words of the fingerprint, bits 0 to 63 first; empty for an empty text."""
    if not hashes:
        return []
    if weight == "uniform":
        hashes = list(set(hashes))
    weights = [table.get(h, others) if weight == "idf" else 1 for h in hashes]
    words = []
    for functions in [hashes, [SplitMix64(h).next() for h in hashes]][:bits // 64]:
        sums = [sum(w if h >> bit & 1 else -w for h, w in zip(functions, weights)) for bit in range(64)]
        words.append(sum(1 << bit for bit in range(64) if sums[bit] > 0))
    return words


def idf(texts: list) -> tuple:
    """The table of all shingles of some texts, which are lists of hashes, and the weight of others."""
    frequency = {}
    for hashes in texts:
        for h in set(hashes):
            frequency[h] = frequency.get(h, 0) + 1

    def weight(df: int) -> int:
        return max(1, math.floor(16 * math.log((1 + len(texts)) / (1 + df)) + 0.5))
    return {h: weight(df) for h, df in frequency.items()}, weight(1)


# --- docs/reference/signatures.md ---------------------------------------------------------------------------------------------

def packed(slots: list) -> list:
    """Eight bits of each slot, eight of them in a word, the first in the lowest bits."""
    kept = [((v ^ v >> 32) * 0x9E3779B97F4A7C15 & MASK64) >> 56 for v in slots]
    return [int.from_bytes(bytes(kept[i:i + 8]), "little") for i in range(0, len(kept), 8)]


def binary_form(kind: int, size: int, parameters: list, model: str, words: list) -> bytes:
    lines = "".join(f"parameter\t{name}\t{value}\n" for name, value in parameters)
    head = struct.pack("<8sHHIQHH", b"mithsig\0", 1, kind, size, xxh3_64(lines.encode()), len(words), len(model))
    body = head + model.encode() + little_endian(words)
    return body + little_endian([xxh3_64(body)])
