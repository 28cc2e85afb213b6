"""The methods of docs/reference/overlap.md in Python, and the verdicts that overlap's tests compare with.

Written from that page alone: sets of strings in the place of filters, plain rather than fast.

    pip install regex==2026.11.15
    python3 models.py > verdicts.json
"""

import json
import random
import unicodedata

import regex


def strip(line):
    return line.strip()


def normal_line(line):
    """CCNet: no controls, no case, no accents, no punctuation or symbols, digits to 0."""
    line = "".join(c for c in strip(line) if unicodedata.category(c) != "Cc").lower()
    line = "".join(c for c in unicodedata.normalize("NFD", line) if unicodedata.category(c) != "Mn")
    line = unicodedata.normalize("NFC", line)
    line = "".join(c for c in line if unicodedata.category(c)[0] not in "PS")
    return "".join("0" if unicodedata.category(c) == "Nd" else c for c in line)


def unicode_words(text):
    return [w for w in regex.split(r"(?w)\b", text, flags=regex.V1) if w.strip()]


def lines(text):
    """The lines that have something in them, with their places in bytes."""
    at = 0
    for line in text.split("\n"):
        size = len(line.encode())
        if line.strip():
            yield at, at + size, line
        at += size + 1


def grams(words, n, whole):
    if whole and len(words) < n:
        return [tuple(words)] if words else []
    return [tuple(words[i:i + n]) for i in range(len(words) - n + 1)]


def seen_then_kept(memory, parts):
    """How many parts were seen before, also among those before them."""
    count = 0
    for part in parts:
        count += part in memory
        memory.add(part)
    return count


def ccnet(texts, share):
    memory = set()
    for text in texts:
        pieces = [(s, e, normal_line(l)) for s, e, l in lines(text)]
        pieces = [p for p in pieces if p[2]]
        seen = [(s, e) for s, e, part in pieces if seen_then_kept(memory, [part])]
        yield seen, bool(pieces) and len(seen) / len(pieces) >= share


def dolma(texts, share):
    memory = set()
    for text in texts:
        pieces = list(lines(text))
        seen = [(s, e) for s, e, part in pieces if seen_then_kept(memory, [part])]
        size = sum(e - s for s, e, _ in pieces)
        yield seen, bool(pieces) and sum(e - s for s, e in seen) / size >= share


def dolma_ngram(texts, share, n):
    memory = set()
    for text in texts:
        seen, all_parts, seen_parts = [], 0, 0
        for s, e, line in lines(text):
            parts = grams(line.split(), n, True)
            count = seen_then_kept(memory, parts)
            all_parts, seen_parts = all_parts + len(parts), seen_parts + count
            if count / len(parts) >= share:
                seen.append((s, e))
        yield seen, all_parts > 0 and seen_parts / all_parts >= share


def dclm(texts, share, n):
    memory = set()
    for text in texts:
        seen, all_parts, seen_parts = [], 0, 0
        for s, e, line in lines(text):
            parts = grams(unicode_words(line), n, False)
            if not parts:
                continue
            count = sum(part in memory for part in parts)
            all_parts, seen_parts = all_parts + len(parts), seen_parts + count
            if count / len(parts) >= share:
                seen.append((s, e))
            else:
                memory.update(parts)
        yield seen, all_parts > 0 and seen_parts / all_parts >= share


def bloom_ngrams(texts, share, n, chars):
    memory = set()
    for text in texts:
        if chars:
            parts = {text[i:i + k] for k in range(1, n + 1) for i in range(len(text) - k + 1)}
        else:
            parts = set(grams(text.split(), n, True))
        seen = sum(part in memory for part in parts)
        memory.update(parts)
        yield [], bool(parts) and seen / len(parts) >= share


def random_texts(seed, count):
    rng = random.Random(seed)
    words = ["the", "The", "naïve", "café", "cafe", "Straße", "can't", "U.S.A", "3.14", "1,000", "2024", "1999",
             "北京", "ひらがな", "カタカナ", "а́зия", "snake_case", "e-mail", "a.b:c", "(yes)", "no!", "x", "42nd", "don’t",
             "“quote”", "end.", "--", "...", "$5", "50%", "re:do", "O'Neil", "привет", "e\u0301te", "\u200bzero", "a+b", "~x", "line\u0085feed", "a\u0000b"]
    words += ["w%d" % i for i in range(30)]
    pool = [" ".join(rng.choices(words, k=rng.randint(1, 14))) for _ in range(120)]
    for _ in range(count):
        made = []
        for _ in range(rng.randint(1, 8)):
            line = rng.choice(pool) if rng.random() < .35 else " ".join(rng.choices(words, k=rng.randint(0, 14)))
            if rng.random() < .15:
                line = line.upper() if rng.random() < .5 else line.replace("1", "7").replace(".", "")
            if rng.random() < .1:
                line = rng.choice([" ", "\t", "\u00a0", "\u3000"]) + line + " "
            made.append(line)
        yield "\n".join(made) + rng.choice(["", "\n", "\n\n"])


def main():
    texts = [t for t in random_texts(1, 260) if t.strip()]
    runs = []
    for method, n, tokens, share, results in [
        ("ccnet", 0, "", .2, ccnet(texts, .2)),
        ("ccnet", 0, "", .6, ccnet(texts, .6)),
        ("dolma", 0, "", .2, dolma(texts, .2)),
        ("dolma", 0, "", .7, dolma(texts, .7)),
        ("dolma-ngram", 5, "", .2, dolma_ngram(texts, .2, 5)),
        ("dolma-ngram", 2, "", 1, dolma_ngram(texts, 1, 2)),
        ("dclm", 5, "", .2, dclm(texts, .2, 5)),
        ("dclm", 2, "", .8, dclm(texts, .8, 2)),
        ("bloom-ngrams", 3, "char", 1, bloom_ngrams(texts, 1, 3, True)),
        ("bloom-ngrams", 1, "whitespace", .9, bloom_ngrams(texts, .9, 1, False)),
    ]:
        results = list(results)
        runs.append({"method": method, "n": n, "tokens": tokens, "share": share,
                     "removed": "".join("01"[removed] for _, removed in results),
                     "seen": [seen for seen, _ in results]})
    rows = ",\n".join(json.dumps(run, separators=(",", ":")) for run in runs)
    print('{"texts":%s,\n"runs":[\n%s\n]}' % (json.dumps(texts, separators=(",", ":")), rows))


main()
