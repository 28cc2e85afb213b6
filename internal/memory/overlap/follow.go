package overlap

import (
	"cmp"
	"math"
	"slices"
)

// follow turns hits into runs of the items that a record has enough of, and parts of the others.
func (f *Finder) follow() {
	f.leads, f.runs, f.parts = f.leads[:0], f.runs[:0], f.parts[:0]
	f.shares, f.answered = f.shares[:0], f.answered[:0]
	for _, hit := range f.hits {
		for _, p := range f.items.postingsOf(uint32(hit)) {
			f.leads = append(f.leads, lead{p.item, p.at, uint32(hit >> 32)})
		}
	}
	slices.SortFunc(f.leads, func(a, b lead) int {
		return cmp.Or(cmp.Compare(a.item, b.item), cmp.Compare(a.shift(), b.shift()), cmp.Compare(a.at, b.at))
	})
	for from := 0; from < len(f.leads); {
		to := from + 1
		for to < len(f.leads) && f.leads[to].item == f.leads[from].item {
			to++
		}
		f.weigh(f.leads[from:to])
		from = to
	}
}

// weigh builds the runs around the leads to an item, if together they are enough of it.
func (f *Finder) weigh(leads []lead) {
	item, first := &f.items.list[leads[0].item], len(f.runs)
	if len(f.covered) < len(item.words) {
		f.covered = make([]bool, len(item.words))
	}
	covered := f.covered[:len(item.words)]
	clear(covered)
	weight := 0.0
	// If a text repeats an item that repeats itself, runs overlap each other, and the steps run
	// out.
	steps := 64*len(f.words) + len(item.words)
	last := run{}
	for i, l := range leads {
		if i > 0 && leads[i-1].shift() == l.shift() && l.at < last.at+last.passages {
			continue
		}
		last = f.extend(item, l, &steps)
		f.runs = append(f.runs, last)
		for k := int(last.at); k < int(last.at+last.passages)+item.window-1; k++ {
			if !covered[k] && item.words[k] == f.words[k+l.shift()].hash {
				covered[k] = true
				weight += float64(item.weights[k])
			}
		}
	}
	if weight == 0 || !f.items.isEnough(item, weight) {
		f.runs = f.runs[:first]
		f.parts = append(f.parts, leads[0].item)
		return
	}
	isAnswered := f.isAnswered(item, f.runs[first:])
	if item.needsAnswer && !isAnswered {
		f.runs = f.runs[:first]
		return
	}
	f.shares, f.answered = append(f.shares, min(1, weight/item.total)), append(f.answered, isAnswered)
	slices.SortFunc(f.runs[first:], func(a, b run) int {
		return cmp.Or(cmp.Compare(a.begins, b.begins), cmp.Compare(a.at, b.at))
	})
}

// extend returns the run of passages around a lead. It takes at most the steps that are left.
func (f *Finder) extend(item *Item, l lead, steps *int) run {
	isHit := func(at int) bool {
		begins := at + l.shift()
		if *steps--; at < 0 || at >= len(item.passages) || begins < 0 || *steps < 0 {
			return false
		}
		_, is := slices.BinarySearch(f.hits, uint64(begins)<<32|uint64(item.passages[at]))
		return is
	}
	from, to := int(l.at), int(l.at)+1
	for isHit(from - 1) {
		from--
	}
	for isHit(to) {
		to++
	}
	return run{l.item, uint32(from), uint32(to - from), uint32(from + l.shift())}
}

// bytesOf returns the bytes of the text in a run.
func (f *Finder) bytesOf(r run) Piece {
	words := int(r.passages) + f.items.list[r.item].window - 1
	return Piece{int(f.words[r.begins].start), int(f.words[int(r.begins)+words-1].end)}
}

// appendFound appends the sketch of what follow has found.
func (f *Finder) appendFound(dst []uint64, text []byte) []uint64 {
	counts := len(dst)
	dst = append(dst, uint64(len(f.parts)))
	for _, item := range f.parts {
		dst = append(dst, uint64(item))
	}
	if len(f.runs) == 0 {
		return dst
	}
	f.join()
	dst = append(dst, uint64(len(f.pieces)))
	for _, p := range f.pieces {
		dst = append(dst, uint64(p.Start)<<32|uint64(p.End))
		dst = AppendBytes(dst, text[p.Start:p.End])
	}
	for from := 0; from < len(f.runs); {
		to := from + 1
		for to < len(f.runs) && f.runs[to].item == f.runs[from].item {
			to++
		}
		dst[counts] += 1 << 32
		found, runs := int(dst[counts]>>32)-1, uint64(to-from)
		if f.answered[found] {
			runs |= withAnswer
		}
		dst = append(dst, uint64(f.runs[from].item)<<32|runs, math.Float64bits(f.shares[found]))
		for _, r := range f.runs[from:to] {
			p := f.bytesOf(r)
			dst = append(dst, uint64(r.at)<<32|uint64(r.passages), uint64(p.Start)<<32|uint64(p.End))
		}
		from = to
	}
	return dst
}

// join turns runs into pieces, joining adjacent bytes.
func (f *Finder) join() {
	f.pieces = f.pieces[:0]
	for _, r := range f.runs {
		f.pieces = append(f.pieces, f.bytesOf(r))
	}
	slices.SortFunc(f.pieces, func(a, b Piece) int { return cmp.Compare(a.Start, b.Start) })
	kept := f.pieces[:0]
	for _, p := range f.pieces {
		if last := len(kept) - 1; last >= 0 && p.Start <= kept[last].End {
			kept[last].End = max(kept[last].End, p.End)
			continue
		}
		kept = append(kept, p)
	}
	f.pieces = kept
}
