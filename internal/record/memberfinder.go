package record

import "slices"

// A MemberFinder looks for members of JSON objects. It owns scratch memory, so each goroutine needs
// its own.
type MemberFinder struct{ jsonScanner }

// NewMemberFinder returns what finds members with these names, at the top of objects.
func NewMemberFinder(names []string) *MemberFinder {
	fields := make([]Field, len(names))
	for i, name := range names {
		fields[i] = Field{name: name, steps: []step{newStep(name)}}
	}
	return &MemberFinder{newJSONScanner(fields, 0)}
}

// HasAny reports whether a record is a valid JSON object and has one of the members.
func (f *MemberFinder) HasAny(record []byte) bool {
	defer f.release()
	if p := f.scan(record); p.kind != KindReadable {
		return false
	}
	return slices.ContainsFunc(f.wants, func(w *want) bool { return w.start >= 0 })
}
