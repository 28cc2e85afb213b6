package union

// mostLeaders is how many leaders of a group are known at least, and twice as many at most.
const mostLeaders = 1024

// Split cuts a group into smaller ones whose records are all like their first one, the leader. The
// records of the group come in the order in which they are wanted as leaders: each joins the group
// of the first leader that it is like, or else becomes a leader itself. A leader without others is
// left out. This is the leader algorithm (J. A. Hartigan: Clustering Algorithms, 1975, chapter 3).
//
// A record is compared with the last 1,024 to 2,048 leaders of the group, so that a group with very
// many of them takes no quadratic time.
func Split(records []uint64, alike func(leader, record uint64) bool) (groups [][]uint64) {
	first := 0 // of the leaders that are still known
next:
	for _, record := range records {
		for i, group := range groups[first:] {
			if alike(group[0], record) {
				groups[first+i] = append(group, record)
				continue next
			}
		}
		if len(groups)-first >= 2*mostLeaders {
			first += mostLeaders
		}
		groups = append(groups, []uint64{record})
	}
	several := groups[:0]
	for _, group := range groups {
		if len(group) > 1 {
			several = append(several, group)
		}
	}
	return several
}
