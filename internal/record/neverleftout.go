package record

// mostExclusions is how many names that fields leave out are watched.
const mostExclusions = 64

// An excluding notes which of the names that fields leave out members have had: a bit for each of
// the first mostExclusions, in the order of the fields and their alternatives.
type excluding struct{ bits uint64 }

// watch has the paths note what they leave out.
func (e *excluding) watch(paths []want) {
	n := 0
	for i := range paths {
		w := &paths[i]
		w.below.first, w.below.noted = n, e
		n += len(w.below.without)
	}
}

// note notes the name of number i of those of a path whose first has number first.
func (e *excluding) note(first, i int) {
	if e != nil && first+i < mostExclusions {
		e.bits |= 1 << (first + i)
	}
}

// NeverLeftOut are the fields of a format, as the user wrote them, with the names that they leave
// out and that no member had, where excluded says which of them were left out (Omissions.Excluded).
// Of names that a path leaves out at any depth it has all or none: a list of what records of a kind
// may have is no mistake where one of them occurs.
func NeverLeftOut(f Format, excluded uint64) (fields, names []string) {
	n := 0
	for _, field := range exclusionFields(f) {
		for _, path := range field.Alternatives() {
			var never []string
			for i, name := range path.below.without {
				if n+i < mostExclusions && excluded&(1<<(n+i)) == 0 {
					never = append(never, name)
				}
			}
			n += len(path.below.without)
			if !path.below.atTop && len(never) < len(path.below.without) {
				never = nil
			}
			for _, name := range never {
				fields, names = append(fields, field.name), append(names, name)
			}
		}
	}
	return fields, names
}

// exclusionFields are the fields that may leave out members: those with the text.
func exclusionFields(f Format) []Field {
	rows, ok := f.(framed)
	if !ok || !rows.rows {
		return TextFields(f)
	}
	var fields []Field
	for _, name := range rows.fields {
		if field, err := ParseField(name); err == nil {
			fields = append(fields, field)
		}
	}
	return fields
}

// LeftOut notes that a column of the name is not part of what texts are taken out of.
func (t *FieldText) LeftOut(name string) {
	for i := range t.of.paths {
		of := &t.of.paths[i].below
		for k, one := range of.without {
			if one == name {
				of.noted.note(of.first, k)
			}
		}
	}
}
