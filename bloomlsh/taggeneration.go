package bloomlsh

// newTagged creates the table of a generation, over its words.
func (g *generation) newTagged() (err error) {
	g.tags = newTagTable(g.geometry, g.words)
	g.firstTags, err = newFirstTags(g.geometry)
	return err
}

// makeTagRoom moves the first entries to the table if they leave too little space. It reports
// whether it has moved them.
func (g *generation) makeTagRoom(entries int) (moved bool) {
	if g.firstTags == nil || g.firstTags.hasRoom(entries) {
		return false
	}
	g.moveFirstTags()
	return true
}

func (g *generation) moveFirstTags() {
	if g.firstTags == nil {
		return
	}
	g.firstTags.moveTo(g.tags)
	_ = g.firstTags.close() // fails only for memory that it does not own
	g.firstTags = nil
}

// table returns the table that contains the entries.
func (g *generation) table() *tagTable {
	if g.firstTags != nil {
		return &g.firstTags.tagTable
	}
	return g.tags
}

// fetchTags loads the lines of keys, wherever their entries are.
func (g *generation) fetchTags(lines []pagedLine) {
	if g.firstTags != nil {
		g.firstTags.fetch(lines)
		return
	}
	g.tags.fetch(lines)
}

// addTag stores an entry in its line or a later one, and reports whether there was space.
func (g *generation) addTag(line pagedLine, entry uint64) bool {
	if g.firstTags != nil {
		if g.firstTags.add(line, entry) {
			return true
		}
		g.moveFirstTags()
	}
	return g.tags.add(line.word, entry)
}

// lineOf returns the line of a key in a band.
func (g *generation) lineOf(band int, key Key) pagedLine { return g.tags.lineOf(band, key) }

// lineOf returns the line of a key in a band.
func (t *tagTable) lineOf(band int, key Key) pagedLine {
	var line [1]pagedLine
	t.at.locateFew(line[:], []keySpread{spread(key, t.at.mask)}, uint64(band)*t.at.pages, 0)
	t.resolve(line[:], line[:])
	return line[0]
}

// collect counts the tags of a single key.
func (g *generation) collect(line pagedLine, votes *tally) {
	if g.firstTags != nil {
		g.firstTags.collect(line, votes)
		return
	}
	votes.addLine(g.tags, line)
}

// closeTags releases the memory of the first entries.
func (g *generation) closeTags() error {
	if g.firstTags == nil {
		return nil
	}
	return g.firstTags.close()
}

// sample estimates the fill and the number of records of a generation of any kind.
func (g *generation) sample(limit int) (fill, records float64) {
	switch {
	case g.tags == nil:
		return g.filter.sample(limit)
	case g.firstTags != nil:
		return g.firstTags.sample(g.geometry)
	}
	return g.tags.sample(limit, g.bands)
}

// isSmall reports whether the first records are still in small filters or a small table.
func (g *generation) isSmall() bool { return g.first != nil || g.firstTags != nil }
