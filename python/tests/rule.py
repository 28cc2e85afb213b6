"""The rule of votes on a cluster (mithril_stream/_votes.py), as slow and plain as it can be written."""

from collections import defaultdict

HOLDERS = 4


def judged(keys, votes):
    """What the rule says of rows. keys has the list of keys of each position, or None; the last key is the whole. The
    result has the votes of each pair of a row and an earlier one of which it is a duplicate."""
    holders = defaultdict(list)
    order = sorted(position for position in keys if keys[position])
    for position in order:
        for key in keys[position]:
            if len(holders[key]) < HOLDERS:
                holders[key].append(position)
    worth = {key: votes.bands if key == keys[p][-1] else 1 for p in order for key in keys[p]}

    held_for = {}
    for position in order:
        by = defaultdict(int)
        for key in keys[position]:
            for holder in holders[key]:
                if holder < position:
                    by[holder] += worth[key]
        strong = [(-n, holder) for holder, n in by.items() if n >= votes.strong]
        held_for[position] = min(strong)[1] if strong else position

    pairs = {}
    for position in order:
        all_of, uncommon = defaultdict(int), defaultdict(int)
        for key in keys[position]:
            of = {held_for[holder] for holder in holders[key] if holder < position}
            for row in of:
                all_of[row] += worth[key]
                uncommon[row] += worth[key] if len(of) < HOLDERS else 0
        for row, n in all_of.items():
            if n >= votes.plenty or n >= votes.needed and uncommon[row] >= votes.uncommon:
                pairs[position, row] = min(n, votes.bands)
    return pairs


def originals(pairs):
    """The original of each duplicate, and its votes."""
    best = {}
    for (position, row), n in sorted(pairs.items(), key=lambda pair: (pair[0][0], -pair[1], pair[0][1])):
        best.setdefault(position, (row, n))
    return best
