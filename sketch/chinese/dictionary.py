"""Writes dictionary.txt from the Chinese dictionaries of github.com/go-ego/gse v0.80.3.

Kept are words of Han characters only, simplified and traditional: all of one character, and longer ones that were
counted at least four times. Those left out are more than half of the words and hardly any of the text.

    python3 dictionary.py path/to/gse/data/dict/zh > dictionary.txt && gzip -9n dictionary.txt
"""
import sys

import regex  # Python's re does not know scripts

counts = {}
for name in ["s_1.txt", "t_1.txt"]:
    with open(f"{sys.argv[1]}/{name}", encoding="utf-8") as lines:
        for line in lines:
            word, count, *_ = line.split() + ["", ""]
            if regex.fullmatch(r"\p{Han}+", word):
                counts[word] = max(counts.get(word, 0), int(count))

for word in sorted(counts):
    if counts[word] >= 4 or len(word) == 1:
        print(word, counts[word])
