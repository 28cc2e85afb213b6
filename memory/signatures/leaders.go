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
		if err := g.copySignature(signature, g.joined.EntryOf(record)); err != nil {
			return nil, err
		}
		i, found := leaders.find(signature)
		if !found {
			i = leaders.add(signature)
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
	item, err := g.signatures.at(int(entry), bytesOf(dst))
	copy(bytesOf(dst), item)
	return err
}

// leaders are the signatures of the last leaders, one after the other.
type leaders struct {
	of         *Groups
	most       int
	count      int // of all leaders
	signatures []uint64
}

// find returns the number of the first leader that is still known and that a record resembles.
func (l *leaders) find(signature []uint64) (number int, found bool) {
	size := len(signature)
	known := len(l.signatures) / size
	for i := range known {
		if l.of.areAlike(l.signatures[i*size:(i+1)*size], signature) {
			return l.count - known + i, true
		}
	}
	return 0, false
}

func (l *leaders) add(signature []uint64) (number int) {
	if size := len(signature); len(l.signatures) >= 2*l.most*size { // forget half of them
		l.signatures = append(l.signatures[:0], l.signatures[l.most*size:]...)
	}
	l.signatures = append(l.signatures, signature...)
	l.count++
	return l.count - 1
}
