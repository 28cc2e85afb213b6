package signatures

// Split divides a group into smaller groups in which every record resembles the first one, the
// leader. records lists the group in order of preference for leaders: each record joins the first
// leader it resembles, or becomes a leader itself. Leaders without followers are left out. This is
// the leader algorithm (J. A. Hartigan: Clustering Algorithms, 1975, chapter 3).
//
// A record is compared with the last 1,024 to 2,048 leaders, so that a group with very many leaders
// does not take quadratic time. Call Find first.
func (g *Groups) Split(records []uint64) (groups [][]uint64, err error) {
	leaders := leaders{of: g, limit: g.read.most()}
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

// copySignature reads the signature of an entry into dst.
func (g *groupEntries) copySignature(dst []uint64, entry uint32) error {
	g.read.forget(0)
	signature, err := g.signature(0, entry)
	copy(dst, signature)
	return err
}

// leaders stores the signatures of the most recent leaders, concatenated.
type leaders struct {
	of         *Groups
	limit      int
	count      int // number of all leaders
	signatures []uint64
	entries    []uint32
}

// find returns the first leader still stored that a record resembles.
func (l *leaders) find(entry uint32, signature []uint64) (number int, found bool, err error) {
	size := len(signature)
	known := len(l.signatures) / size
	for i := range known {
		alike, err := l.of.areSimilar(entry, l.entries[i], signature, l.signatures[i*size:(i+1)*size])
		if alike || err != nil {
			return l.count - known + i, alike, err
		}
	}
	return 0, false, nil
}

func (l *leaders) add(entry uint32, signature []uint64) (number int) {
	if size := len(signature); len(l.signatures) >= 2*l.limit*size { // drop the older half
		l.signatures = append(l.signatures[:0], l.signatures[l.limit*size:]...)
		l.entries = append(l.entries[:0], l.entries[l.limit:]...)
	}
	l.signatures, l.entries = append(l.signatures, signature...), append(l.entries, entry)
	l.count++
	return l.count - 1
}
