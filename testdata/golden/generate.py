"""Writes the golden vectors of docs/design/sketch.md next to this file. See README.md for what each line means."""

import json
import pathlib
import sys

import unicodedata2 as ucd

import samples
from sketch import (MASK64, MERSENNE61, SplitMix64, affine, band_keys, binary_form, fold, fss, idf, little_endian,
                    normalize, packed, shingle, signature, simhash, tokenize, word_class, xxh3_64)

HERE = pathlib.Path(__file__).parent
ASSIGNED = [chr(c) for c in range(0x110000) if ucd.category(chr(c)) not in ("Cn", "Cs")]


def hex64(x: int) -> str:
    return f"{x:016x}"


def write(name: str, lines, escape: str) -> None:
    """One JSON object a line; code points whose category starts with a letter of `escape` as \\u, except the space."""
    with open(HERE / name, "w", encoding="utf-8", newline="\n") as out:
        for line in lines:
            text = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
            out.write("".join(c if c == " " or ucd.category(c)[0] not in escape else json.dumps(c)[1:-1] for c in text))
            out.write("\n")


def numbers(state: int, count: int) -> list:
    stream = SplitMix64(state)
    return [stream.next() for _ in range(count)]


# --- normalize.jsonl ------------------------------------------------------------------------------------------------

def normalize_lines():
    for text in samples.NORMALIZE:
        yield {"normalizer": "nfkc-fold", "input": text, "normalized": normalize("nfkc-fold", text.encode())}
    for data in samples.NORMALIZE_BYTES:
        yield {"normalizer": "nfkc-fold", "input_hex": data.hex(), "normalized": normalize("nfkc-fold", data)}
    for data in (b"", b"A\xffB", "\ufeffI\u0307 \uff21\u00ad\u0301\u200d\U0001f1e6".encode(), b"\xed\xa0\x80\0\t"):
        yield {"normalizer": "none", "input_hex": data.hex(), "normalized": normalize("none", data)}
    yield over_assigned("nfkc-fold", lambda c: normalize("nfkc-fold", c.encode()) + "\n")
    yield over_assigned("fold", lambda c: fold(c) + "\n")


def over_assigned(what: str, of) -> dict:
    return {"over_assigned": what, "code_points": len(ASSIGNED), "xxh3": hex64(xxh3_64("".join(map(of, ASSIGNED)).encode()))}


# --- tokenize.jsonl -------------------------------------------------------------------------------------------------

def tokenize_lines():
    for text in samples.TOKENIZE:
        yield {"tokenizer": "word", "input": text, "tokens": tokenize("word", text)}
    for tokenizer in ("whitespace", "char"):
        for text in samples.TOKENIZE_OTHERS:
            yield {"tokenizer": tokenizer, "input": text, "tokens": tokenize(tokenizer, text)}
    yield over_assigned("word", lambda c: word_class(c)[0])


# --- shingle.jsonl --------------------------------------------------------------------------------------------------

def shingle_lines():
    for text in samples.SHINGLE:
        for tokenizer in ("word", "char", "whitespace"):
            for n in (1, 2, 5, 24):
                hashes = shingle(tokenizer, n, tokenize(tokenizer, text))
                yield {"tokenizer": tokenizer, "n": n, "input": text, "hashes": [hex64(x) for x in hashes]}


# --- signature.jsonl ------------------------------------------------------------------------------------------------

def signature_lines():
    for sketch in ("fss", "affine"):
        for k in (1, 2, 8, 128, 256, 1000):
            for seed in (1, 42, 2**63):
                for count in (1, 3, 50, 1000):
                    given, hashes = hashes_of(count)
                    yield {"sketch": sketch, "k": k, "seed": hex64(seed), **given, **slots_of(signature(sketch, k, seed, hashes))}
        first = numbers(1, 1)[0]
        for hashes in ([0], [MASK64], [first], [first, 0, MASK64, first], [5, 5, 5]):
            given = {"hashes": [hex64(x) for x in hashes]}
            yield {"sketch": sketch, "k": 8, "seed": hex64(1), **given, **slots_of(signature(sketch, 8, 1, hashes))}


def hashes_of(count: int) -> tuple:
    state = 1000 + count
    hashes = numbers(state, count)
    if count <= 3:
        return {"hashes": [hex64(x) for x in hashes]}, hashes
    return {"hashes_from": {"splitmix64": hex64(state), "count": count}}, hashes


def slots_of(slots: list) -> dict:
    if len(slots) < 128:
        return {"slots": [hex64(x) for x in slots]}
    return {"first_slots": [hex64(x) for x in slots[:4]], "slots_xxh3": hex64(xxh3_64(little_endian(slots)))}


# --- bandkey.jsonl --------------------------------------------------------------------------------------------------

def bandkey_lines():
    for bands, rows, k in ((1, 1, 1), (2, 2, 4), (3, 2, 8), (5, 4, 20), (14, 9, 128), (8, 16, 128), (42, 6, 256), (2, 17, 40),
                           (2, 30, 60), (2, 31, 62), (2, 128, 256), (1, 129, 129), (2, 500, 1000)):
        given = {"slots_from": {"splitmix64": hex64(k), "count": k}}
        yield from both_band_keys(bands, rows, given, numbers(k, k))
    for bands, rows, slots in ((1, 4, [0] * 4), (2, 2, [MASK64] * 4), (1, 2, [MERSENNE61, 2 * MERSENNE61]),
                               (2, 2, [1, 2, 2, 1]), (3, 3, fss(10, 1, [7])), (3, 3, affine(10, 1, [7]))):
        yield from both_band_keys(bands, rows, {"slots": [hex64(x) for x in slots]}, slots)


def both_band_keys(bands: int, rows: int, given: dict, slots: list):
    for name in ("xxh3", "sum"):
        yield {"band_key": name, "bands": bands, "rows": rows, **given, "keys": keys_of(band_keys(name, bands, rows, slots))}


def keys_of(keys: list) -> list:
    return [[hex64(high), hex64(low)] for high, low in keys]


# --- text.jsonl -----------------------------------------------------------------------------------------------------

DEFAULTS = {"normalizer": "nfkc-fold", "tokenizer": "word", "n": 5, "sketch": "fss", "k": 128, "seed": hex64(1), "bands": 14,
            "rows": 9, "band_key": "xxh3"}
OTHERS = [{"n": 1, "k": 256, "bands": 42, "rows": 6}, {"tokenizer": "char", "n": 24, "bands": 8, "rows": 16},
          {"normalizer": "none", "tokenizer": "whitespace", "n": 2}, {"sketch": "affine", "seed": hex64(42)},
          {"band_key": "sum"}]


def text_lines():
    for text in [*samples.TEXTS, long_text()]:
        yield from_text({**DEFAULTS, "text": text})
    for changed in OTHERS:
        yield from_text({**DEFAULTS, **changed, "text": samples.TEXTS[0]})


def from_text(line: dict) -> dict:
    tokens = tokenize(line["tokenizer"], normalize(line["normalizer"], line["text"].encode()))
    hashes = shingle(line["tokenizer"], line["n"], tokens)
    line |= {"tokens": len(tokens), "distinct_shingles": len(set(hashes)), "keys": []}
    if hashes:
        slots = signature(line["sketch"], line["k"], int(line["seed"], 16), hashes)
        line["keys"] = keys_of(band_keys(line["band_key"], line["bands"], line["rows"], slots))
    return line


def long_text() -> str:
    """Three thousand words of a small vocabulary: more shingles than slots."""
    vocabulary = sorted(set(" ".join(samples.TEXTS[:3]).split()))
    return " ".join(vocabulary[x % len(vocabulary)] for x in numbers(7, 3000))


# --- simhash.jsonl --------------------------------------------------------------------------------------------------

def simhash_lines():
    for text in [*samples.TEXTS, long_text()]:
        for bits, weight, n in ((64, "tf", 1), (64, "uniform", 1), (128, "tf", 3), (128, "uniform", 1)):
            hashes = shingle("word", n, tokenize("word", normalize("nfkc-fold", text.encode())))
            yield {"text": text, "n": n, "bits": bits, "weight": weight,
                   "words": [hex64(w) for w in simhash(bits, weight, hashes)]}


def idf_lines():
    for n, bits in ((1, 64), (2, 128)):
        texts = [shingle("word", n, tokenize("word", normalize("nfkc-fold", t.encode()))) for t in samples.TEXTS[:8]]
        table, others = idf(texts[:6])
        yield {"texts": samples.TEXTS[:8], "n": n, "bits": bits, "counted": 6, "others": others,
               "table": {hex64(h): w for h, w in sorted(table.items())},
               "words": [[hex64(w) for w in simhash(bits, "idf", hashes, table, others)] for hashes in texts]}


# --- binary.jsonl ---------------------------------------------------------------------------------------------------

def binary_lines():
    shingles = [("normalize", "nfkc-fold"), ("tokenize", "word"), ("shingle-size", "2")]
    for text in samples.TEXTS[:3]:
        hashes = shingle("word", 2, tokenize("word", normalize("nfkc-fold", text.encode())))
        parameters = [*shingles, ("sketch", "fss"), ("num-perm", "20"), ("seed", "1")]
        words = packed(signature("fss", 20, 1, hashes))
        yield {"kind": "minhash", "text": text, "bytes": binary_form(1, 20, parameters, "", words).hex()}
        parameters = [*shingles, ("sketch", "simhash"), ("bits", "128"), ("weight", "tf")]
        words = simhash(128, "tf", hashes)
        yield {"kind": "simhash", "text": text, "bytes": binary_form(2, 128, parameters, "", words).hex()}


# --- Published values of the parts that all of it rests on ----------------------------------------------------------

def check_published_values() -> None:
    assert numbers(1234567, 5) == [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
                                   16408922859458223821]
    assert numbers(0, 1) == [0xE220A8397B1DCDAF]
    assert xxh3_64(b"") == 0x2D06800538D394C2
    assert band_keys("xxh3", 1, 0, []) == [(0x99AA06D3014798D8, 0x6001C324468D497F)]


if __name__ == "__main__":
    check_published_values()
    write("normalize.jsonl", normalize_lines(), escape="CMZ")
    write("tokenize.jsonl", tokenize_lines(), escape="CZ")
    write("shingle.jsonl", shingle_lines(), escape="CZ")
    write("signature.jsonl", signature_lines(), escape="CZ")
    write("bandkey.jsonl", bandkey_lines(), escape="CZ")
    write("text.jsonl", text_lines(), escape="CZ")
    write("simhash.jsonl", simhash_lines(), escape="CZ")
    write("idf.jsonl", idf_lines(), escape="CZ")
    write("binary.jsonl", binary_lines(), escape="CZ")
    print(f"{sum(f.stat().st_size for f in HERE.glob('*.jsonl'))} bytes of vectors", file=sys.stderr)
