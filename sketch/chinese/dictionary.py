"""Writes dictionary.txt from the Chinese dictionaries of github.com/go-ego/gse; the argument is their folder.

Kept are words of Han characters only, simplified and traditional: all of one character, and longer ones that were
counted at least four times. Those left out are two thirds of the words and hardly any of the text.

    python3 dictionary.py "$(go list -m -f '{{.Dir}}' github.com/go-ego/gse)/data/dict/zh" > dictionary.txt
    gzip -9n dictionary.txt
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
