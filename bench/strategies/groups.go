package main

// groups joins records that were found to be similar.
type groups struct{ parent []int32 }

func newGroups(records int) groups {
	g := groups{make([]int32, records)}
	for i := range g.parent {
		g.parent[i] = int32(i)
	}
	return g
}

// of is the record that a group is known by.
func (g groups) of(i int32) int32 {
	for g.parent[i] != i {
		g.parent[i] = g.parent[g.parent[i]]
		i = g.parent[i]
	}
	return i
}

func (g groups) join(a, b int32) { g.parent[g.of(a)] = g.of(b) }

// count counts the groups of more than one record.
func (g groups) count() (n int) {
	members := map[int32]int{}
	for i := range g.parent {
		if members[g.of(int32(i))]++; members[g.of(int32(i))] == 2 {
			n++
		}
	}
	return n
}
