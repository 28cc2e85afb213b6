"""The rule of votes on a cluster (mithril_stream/_votes.py), as slow and plain as it can be written."""

from collections import defaultdict

HOLDERS, COMMON = 4, 3


def holders_of(keys):
    """The rows that hold each key, and the rows that have keys, in order."""
    holders = defaultdict(list)
    order = sorted(position for position in keys if keys[position])
    for position in order:
        for key in keys[position]:
            if len(holders[key]) < HOLDERS:
                holders[key].append(position)
    return holders, order


def candidates(keys):
    """The pairs of a row and an earlier one that holds one of its keys."""
    holders, order = holders_of(keys)
    return sorted({(p, holder) for p in order for key in keys[p] for holder in holders[key] if holder < p})


def judged(keys, votes):
    """What the rule says of rows. keys has the list of keys of each position, or None; the last key is the whole. The
    result has the votes of each pair of a row and an earlier one of which it is a duplicate."""
    holders, order = holders_of(keys)
    worth = {key: votes.bands if key == keys[p][-1] else 1 for p in order for key in keys[p]}

    held_for = {}
    for position in order:
        by = defaultdict(int)
        for key in keys[position]:
            for holder in holders[key]:
                if holder < position:
                    by[holder] += worth[key]
        held_for[position] = position
        if by:
            best, most = min(by.items(), key=lambda pair: (-pair[1], pair[0]))
            others = [n for holder, n in by.items() if holder != best]
            stands_out = len(others) >= 2 and most >= 2.5 * sum(others) / len(others)
            if most >= votes.strong or most >= votes.needed and stands_out:
                held_for[position] = best

    pairs = {}
    for position in order:
        all_of, uncommon = defaultdict(int), defaultdict(int)
        for key in keys[position]:
            earlier = [holder for holder in holders[key] if holder < position]
            of = {held_for[holder] for holder in earlier}
            is_common = len(earlier) == HOLDERS and len(of) >= COMMON
            for row in of:
                all_of[row] += worth[key]
                uncommon[row] += 0 if is_common else worth[key]
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
