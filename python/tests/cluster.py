"""What the tests of engines on clusters have in common: records, the verdicts of the program, and processes to kill."""

import json
import math
import os
import random
import signal
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest

from mithril_stream._judge import Judge
from mithril_stream._keys import keys_of_words, rule_of, words_of
from mithril_stream._program import find_program
from mithril_stream._sets import sets_of, similarities
from rule import candidates, judged, originals

# The rule of one vote, with the bands that the Bloom filters' rule has.
ONE = ["--votes", "1", "--bands", "14", "--rows", "9"]


def generated(count, seed):
    """Rows with near duplicates near and far, chains, one text that very many have, and some without text."""
    rng = random.Random(seed)
    words = [f"word{i}" for i in range(4000)]
    made = []
    for i in range(count):
        if i % 6 == 5:
            text = "All rights reserved. No part of this page may be copied, sold or shown."
        elif i % 7 == 3:
            text = None if i % 2 else "…"
        elif i % 3 == 2 and made[i - 2][1]:
            some = made[i - rng.randrange(1, min(i, 40) + 1)][1] or "x"
            some = some.split(" ")
            some[rng.randrange(len(some))] = rng.choice(words)
            text = " ".join(some)
        else:
            text = " ".join(rng.choice(words) for _ in range(rng.choice([1, 4, 20, 60])))
        made.append((i, text))
    return made


def always(count, *values):
    """Values of a test's parameters: the first count are always tested, the others with --thorough."""
    others = (value if isinstance(value, tuple) else (value,) for value in values[count:])
    return [*values[:count], *(pytest.param(*value, marks=pytest.mark.thorough) for value in others)]


# Columns to compare within, and the type of each in Spark. Values of each are also missing.
VALUED = {"lang": "string", "number": "int", "share": "double", "flag": "boolean", "url": "string"}
# What may be given as within=.
WITHIN = always(3, "lang", "share", "url:domain", "number", "flag")
# In how many parts the rows are, and the memory.
PARTS = always(2, (7, "bloom"), (1, "exact"), (1, "bloom"), (7, "exact"))
# Of random pairs, and how many of them one task decides alone.
SEEDS_OF_LEADERS = always(2, (2, 1 << 20), (1, 0), (0, 1 << 20), (1, 1 << 20), (0, 0), (2, 0))


def valued(rows):
    """Rows with a value for each column of VALUED."""
    rng = random.Random(5)
    some = ("de", "en", "", None), (1, 2, None), (1.0, 2.5, math.nan, None), (True, False, None)
    urls = ["https://www.a.co.uk/1", "http://b.a.co.uk", "https://b.co.uk/?c", "no url at all", None]
    return [(*row, *(rng.choice(values) for values in (*some, urls))) for row in rows]


def check_parts(rows, judged):
    """Rows of a day that come later are added to it as parts. judged judges rows as those of a day and a part, and says
    of each whether it is a duplicate, of which row, and of which day that is."""
    given = [("1", None), ("1", "a"), ("1-x", None), ("2", None)]
    size = len(rows) // len(given)
    rows = list(enumerate(text for n in range(len(given)) for _, text in rows[n :: len(given)]))
    frames = [rows[i * size : i * size + size] for i in range(len(given))]
    names = [day if part is None else f"{day}+{part}" for day, part in given]
    first = [judged(frame, *name) for frame, name in zip(frames, given)]
    kept = sorted(id for part in first for id, (gone, _, _) in part.items() if not gone)
    assert kept == kept_by_the_rule(rows)
    for n, part in enumerate(first):
        for gone, of, day in part.values():
            assert day == (names[of // size] if gone and of // size != n else None)
    assert {day for part in first for _, _, day in part.values()} == {None, "1", "1+a", "1-x"}
    # each is done again by itself, with the same result, and nothing is forgotten
    for n in (0, 1, 3):
        assert judged(frames[n], *given[n]) == first[n]
    for n, what in (0, "the day '1'"), (1, "the part 'a' of the day '1'"):
        with pytest.raises(ValueError, match=f"other rows of {what}, which would be forgotten: add rows .* part"):
            judged(frames[3], *given[n])
    with pytest.raises(ValueError, match="'a/b' is no name of a part"):
        judged(frames[0], "1", "a/b")


def check_refused(made, *functions):
    """Columns that do not fit are refused in the same words by all engines, but for the names of types. made makes what
    functions take of rows and the names of their columns."""
    frame = made([(1, "some text", 1.5, [1])], ("id", "text", "share", "list"))
    number, numbers, names = "(bigint|int64)", "(array<bigint>|list<.*>)", r"\['id', 'text', 'share', 'list'\]"
    for how, words in [
        ({"text": "nothing"}, f"there is no column 'nothing' of texts: there are {names}"),
        ({"text": "id"}, f"'id' is no column of strings: it has values of type {number}"),
        ({"text": "list"}, f"'list' is no column of strings: it has values of type {numbers}"),
        ({"order": "share"}, "order 'share' has values of type double: give integers, strings, dates or timestamps"),
        ({"order": "list"}, f"order 'list' has values of type {numbers}: give integers, strings, dates or timestamps"),
        ({"order": ["id", "nothing"]}, rf"order must name columns of the data frame, not \['nothing'\]: it has {names}"),
        ({"within": "nothing"}, f"there is no column 'nothing' for within=: there are {names}"),
        ({"within": "list"}, f"within 'list' has values of type {numbers}: give a column of strings.*"),
    ]:
        for function in functions:
            with pytest.raises(ValueError, match=f"^{words}$"):
                function(frame, **{"order": "id", **how})


def check_other_settings(index, kept):
    """A day whose settings give other keys than those of the directory index is refused, and so is a damaged note of
    these. kept judges some rows as those of a day."""
    first = len(kept("a"))
    assert len(kept("b", threshold=0.85)) < first / 2  # the default by another name; rows without text stay
    for settings, differ in (
        ({"threshold": 0.5}, r"rows \d+"),
        ({"preset": "passages"}, "shingle-size"),
        ({"options": ["--normalize", "none"]}, "normalize none"),
        ({"within": "text"}, "within none there, within text here"),
    ):
        with pytest.raises(ValueError, match=f"has keys of days with other settings.*{differ}"):
            kept("c", **settings)
    assert not (index / "day=c").exists()
    (index / ".rule.json.crc").unlink(missing_ok=True)  # Spark's own check
    rule = (index / "rule.json").read_text()
    (index / "rule.json").write_text('{"keys": [')
    with pytest.raises(ValueError, match="rule.json is damaged"):
        kept("c")
    (index / "rule.json").write_text(rule.replace(', "version": 2', ""))
    with pytest.raises(ValueError, match="days of an earlier version .*: give their rows again, with another directory"):
        kept("c")
    (index / "rule.json").unlink()
    with pytest.raises(ValueError, match="days of an earlier version"):
        kept("c")


def pages_of_a_site(count, shared=340, own=60):
    """Texts of which most words are the same on all, and the others, at their end, on no two. Any two have 4 shingles
    less in common than words: their similarity is .737."""
    rng = random.Random(7)
    template = [f"t{i}" for i in range(shared)]
    return [" ".join(template + [f"w{rng.getrandbits(32):x}" for _ in range(own)]) for _ in range(count)]


def versions(texts, count, changed):
    """Texts of 400 words, each with so many versions, of which changed words in a row are others, in any order. If these
    are 24, a version has a similarity of .868 to its text, and of .77 to other versions."""
    rng, made = random.Random(4), []
    word = lambda: f"{rng.getrandbits(32):x}"  # noqa: E731
    for _ in range(texts):
        made.append([[word() for _ in range(400)]])
        for _ in range(count - 1):
            at = rng.randrange(401 - changed)
            made[-1].append(made[-1][0][:at] + [word() for _ in range(changed)] + made[-1][0][at + changed :])
    order = [number for number in range(texts) for _ in range(count)]
    rng.shuffle(order)
    left = [iter(text) for text in made]
    return [" ".join(next(left[number])) for number in order]


def hard():
    """Rows that a rule may get wrong: texts that are missing, empty, equal, of one word, alike in a chain, of a template
    that all pages of a site have, and late copies of these."""
    rng = random.Random(3)
    words = [f"w{i}" for i in range(500)]
    site = pages_of_a_site(400)
    chain = [[rng.choice(words) for _ in range(200)]]
    for i in range(12):
        chain.append(list(chain[-1]))
        chain[-1][16 * i + 5] = "changed"
    texts = [None, "", "…", "word", "word", None, *site, *map(" ".join, chain), site[390], site[17], site[390]]
    texts += [site[i].replace("t7 ", "other ") for i in range(0, 400, 40)]  # near copies, far apart
    texts += [" ".join(chain[i][:180] + site[3].split(" ")[:20]) for i in (0, 5, 11)]
    return list(enumerate(texts))


def skewed(count):
    """Rows of which half are of one site, with a template that all of its pages have, and a tenth near copies of one
    text: a number, a text, a site."""
    rng = random.Random(9)
    site, words = pages_of_a_site(count // 2, 30, 10), [f"w{i}" for i in range(3000)]
    popular = [rng.choice(words) for _ in range(60)]
    made = [(text, "a.example") for text in site]
    for i in range(count // 10):
        text = list(popular)
        if i:
            text[rng.randrange(60)] = rng.choice(words)
        made.append((" ".join(text), "b.example"))
    for i in range(count - len(made)):
        text = " ".join(rng.choice(words) for _ in range(40))
        made += [(text, f"{i}.example")] * (2 if i % 5 == 0 else 1)
    made = made[:count]
    rng.shuffle(made)
    return [(i, *row) for i, row in enumerate(made)]


def by_the_rule(rows, options=(), within=None, values=None, **settings):
    """The pairs of duplicates among rows, which are numbers and texts, by the rule in its plainest form."""
    import pyarrow as pa

    rule = rule_of(settings.get("threshold"), settings.get("preset"), list(options), within)
    judge = Judge(rule.args)
    try:
        texts = pa.array([row[1] for row in rows], pa.string())
        words, some = words_of(judge, rule, texts, None if values is None else pa.array(values))
    finally:
        judge.close()
    keys = keys_of_words(words).tolist()
    return judged({row[0]: keys[i] if some[i] else None for i, row in enumerate(rows)}, rule.votes)


def exact_by_the_rule(rows):
    """The original of each duplicate, and how similar it is, if the sets of pairs that share a key are compared."""
    import pyarrow as pa

    rule = rule_of(None, None, [], None, "exact")
    judge = Judge(rule.args)
    try:
        texts = pa.array([row[1] for row in rows], pa.string())
        words, some = words_of(judge, rule, texts)
        keys = keys_of_words(words).tolist()
        pairs = candidates({row[0]: keys[i] if some[i] else None for i, row in enumerate(rows)})
        place = {row[0]: i for i, row in enumerate(rows)}
        a, b = (np.array([place[pair[side]] for pair in pairs], "<i8") for side in (0, 1))
        made = sets_of(judge, rule, texts).fill_null(b"")
    finally:
        judge.close()
    judge = Judge(rule.args)
    try:
        similar, enough = similarities(judge, made, a, b)
    finally:
        judge.close()
    return originals({pair: float(s) for pair, s, there in zip(pairs, similar, enough) if there})


def check_verdicts(rows, parts, memory, judged):
    """Each row has the verdict, the original and the similarity of the rule. judged judges rows in that many parts, and
    says of each whether it is a duplicate, of which row, and how similar it is."""
    want = {row: (of, rule_of(None, None, []).similarity(votes)) for row, (of, votes) in originals(by_the_rule(rows)).items()}
    exact = exact_by_the_rule(rows)
    assert len(want) > 100 and len(exact) > 100 and want.keys() != exact.keys()
    found = exact if memory == "exact" else want
    for id, duplicate, of, similarity in judged(random.Random(parts).sample(rows, len(rows)), parts, memory):
        original, similar = found.get(id, (None, None))
        assert (duplicate, of) == (id in found, original), id
        assert similarity == pytest.approx(similar), id


def originals_by_the_rule(rows, **settings):
    """The original of each duplicate."""
    return {row: original for row, (original, _) in originals(by_the_rule(rows, **settings)).items()}


def kept_by_the_rule(rows, **settings):
    return sorted({row[0] for row in rows} - set(originals_by_the_rule(rows, **settings)))


def kept_by_the_program(tmp_path, rows, *options):
    """The numbers of the records that a run of the program keeps. Rows may be those of valued."""
    records, flags = tmp_path / "in.jsonl", tmp_path / "flags"
    with records.open("w") as file:
        for _, text, *values in rows:
            there = [value if value == value else None for value in values]  # JSON has no NaN
            file.write(json.dumps({"text": text or "", **dict(zip(VALUED, there))}) + "\n")
    subprocess.run(
        [find_program(), "-q", *options, "--flags", flags, "-o", os.devnull, records], check=True
    )
    return [row[0] for row, flag in zip(rows, flags.read_text().split()) if flag == "1"]


def components(n, edges):
    """The least node of the component of each of n nodes."""
    of = list(range(n))
    for _ in range(n):
        for a, b in edges:
            of[a] = of[b] = min(of[a], of[b])
    return of


def leaders(n, pairs):
    """The leader of each of n nodes: the first that it is paired with, itself if there is none."""
    of, lead = list(range(n)), set()
    near = {i: [] for i in range(n)}
    for a, b in pairs:
        near[a].append(b)
    for i in range(n):
        first = min((b for b in near[i] if b in lead), default=None)
        if first is None:
            lead.add(i)
        else:
            of[i] = first
    return of


def groups_by_the_program(tmp_path, rows, *options):
    """The first row of the group of each row, by the program."""
    records, found = tmp_path / "in.jsonl", tmp_path / "clusters.json"
    records.write_text("".join(json.dumps({"id": i, "text": text or ""}) + "\n" for i, text in rows))
    command = [find_program(), "groups", "-q", "--id", "id", "--clusters", found, "-o", os.devnull, *options, records]
    subprocess.run(command, check=True)
    of = {i: i for i, _ in rows}
    for group in json.loads(found.read_text()):
        of.update(dict.fromkeys(map(int, group["duplicates"]), int(group["representative"])))
    return of


class Killer:
    """Kills the process of a given name that first runs the program, while a block of code runs."""

    def __init__(self, name):
        self.name, self.killed, self._stop = name, [], threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()

    def _run(self):
        while not self._stop.wait(0.01) and not self.killed:
            for pid in processes("mithril-stream"):
                worker = ancestor(pid, self.name)
                if worker:
                    os.kill(worker, signal.SIGKILL)
                    self.killed.append(worker)
                    break


def processes(name):
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if (entry / "comm").read_text().strip() == name:
                    yield int(entry.name)
            except OSError:
                pass  # it has ended


def ancestor(pid, name):
    """The nearest process above one whose command line has that name, below this one."""
    while pid not in (1, os.getpid()):
        try:
            if name in Path(f"/proc/{pid}/cmdline").read_text():
                return pid
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return None
    return None
