package signatures

// Split cuts a group into smaller ones whose records all resemble their first one, the leader. The
// records of the group come in the order in which they are wanted as leaders: each becomes one of
// those of the first leader that it resembles, or else a leader itself. A leader without others is
// left out. This is the leader algorithm (J. A. Hartigan: Clustering Algorithms, 1975, chapter 3).
//
// A record is compared with the last 1,024 to 2,048 leaders of the group, so that a group with very
// many of them takes no quadratic time. Call it only after Find.
func (g *Groups) Split(records []uint64) (groups [][]uint64, err error) {
	leaders := leaders{of: g, most: g.read.most()}
	signature := make([]uint64, g.params.signatureWords())
	for _, record := range records {
		entry := g.joined.EntryOf(record)
		if err := g.copySignature(signature, entry); err != nil {
			return nil, err
		}
		i, found, err := leaders.find(entry, signature)
		if err != nil {
			return nil, err
		}
		if !found {
			i = leaders.add(entry, signature)
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], record)
	}
	several := groups[:0]
	for _, group := range groups {
		if len(group) > 1 {
			several = append(several, group)
		}
	}
	return several, nil
}

// copySignature reads the signature of an entry.
func (g *Groups) copySignature(dst []uint64, entry uint32) error {
	g.read.forget(0)
	signature, err := g.signature(0, entry)
	copy(dst, signature)
	return err
}

// leaders are the signatures of the last leaders, one after the other.
type leaders struct {
	of         *Groups
	most       int
	count      int // of all leaders
	signatures []uint64
	entries    []uint32
}

// find returns the number of the first leader that is still known and that a record resembles.
func (l *leaders) find(entry uint32, signature []uint64) (number int, found bool, err error) {
	size := len(signature)
	known := len(l.signatures) / size
	for i := range known {
		alike, err := l.of.areAlike(entry, l.entries[i], signature, l.signatures[i*size:(i+1)*size])
		if alike || err != nil {
			return l.count - known + i, alike, err
		}
	}
	return 0, false, nil
}

func (l *leaders) add(entry uint32, signature []uint64) (number int) {
	if size := len(signature); len(l.signatures) >= 2*l.most*size { // forget half of them
		l.signatures = append(l.signatures[:0], l.signatures[l.most*size:]...)
		l.entries = append(l.entries[:0], l.entries[l.most:]...)
	}
	l.signatures, l.entries = append(l.signatures, signature...), append(l.entries, entry)
	l.count++
	return l.count - 1
}
