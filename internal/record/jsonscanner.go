package record

import "github.com/mithril-stream/mithril-stream/internal/jsontext"

// A jsonScanner goes over a JSON value (RFC 8259) once: it checks every byte, and on its way finds
// the values that are wanted. It also takes NaN, Infinity and -Infinity for numbers, which Python's
// json module writes. Where an object repeats a name the last member counts, as in
// encoding/json, and as RFC 8259 §4 says that many implementations do. It owns scratch memory: one
// for each goroutine.
type jsonScanner struct {
	wants    []*want  // one for each field: of its only path, or of the alternative that has a value
	paths    []want   // of all fields, in their order
	choices  []choice // fields that have several
	unquotes int      // for that many of paths, from the first, strings are also unquoted
	name     []byte

	src       []byte // what is scanned
	nonFinite bool   // NaN or Infinity is in it
	tooDeep   bool   // its values are nested deeper than maxNesting
}

// A want is a value that a path leads to.
type want struct {
	steps      []step
	matched    int    // number of steps that lead to the current value
	start, end int    // where it stands; start is -1 if it was not found
	text       []byte // its text, if it is a string: part of what was scanned, or of scratch
	scratch    []byte

	optional bool // the value may be absent
	below    below

	valuePlaces
}

// valuePlaces are the places of the values of a path that may have several.
type valuePlaces struct {
	several bool
	places  []uint32 // of the values found
	before  []int    // number of values before the current one, by the number of steps to it
	passed  int      // elements that a condition has left out
	lacking int      // elements in which there was no value
}

// maxKeptPlaces bounds the number of places whose memory is kept from one record to the next.
const maxKeptPlaces = 4096

// maxNesting bounds the nesting of values; a record with deeper ones cannot be read.
const maxNesting = 4096

// newJSONScanner returns a scanner that looks for these fields, and for the first of them, as many
// as unquoted says, decodes strings.
func newJSONScanner(fields []Field, unquoted int) jsonScanner {
	s := jsonScanner{wants: make([]*want, len(fields))}
	for i, f := range fields {
		from := len(s.paths)
		for _, path := range f.Alternatives() {
			w := want{steps: path.steps, optional: f.optional, below: path.below}
			if w.several = f.selectsSeveral(); w.several {
				w.before = make([]int, len(path.steps)+1)
			}
			s.paths = append(s.paths, w)
		}
		if len(s.paths) > from+1 {
			s.choices = append(s.choices, choice{i, from, len(s.paths)})
		}
		if i < unquoted {
			s.unquotes = len(s.paths)
		}
	}
	at := 0
	for i, f := range fields {
		s.wants[i] = &s.paths[at]
		at += 1 + len(f.others)
	}
	return s
}

// scan looks for what is wanted in src, which must be one JSON object with nothing but white space
// around it. If it is not, nothing is found.
func (s *jsonScanner) scan(src []byte) Problem {
	s.src, s.nonFinite, s.tooDeep = src, false, false
	for i := range s.paths {
		w := &s.paths[i]
		w.matched, w.start, w.places, w.passed, w.lacking = 0, -1, w.places[:0], 0, 0
	}
	at := jsontext.SkipSpace(src, 0)
	if at == len(src) {
		return Problem{kind: KindBlankLine}
	}
	end := s.value(at, 0, true)
	switch {
	case s.tooDeep:
		s.forget()
		return Problem{kind: KindTooDeep}
	case end < 0 || jsontext.SkipSpace(src, end) < len(src):
		s.forget()
		return Problem{kind: KindBadJSON}
	case src[at] != '{':
		s.forget()
		return Problem{kind: KindNotObject}
	}
	for i := range s.paths {
		if w := &s.paths[i]; len(w.steps) == 0 {
			w.start, w.end = at, end
		}
	}
	s.choose()
	return Problem{}
}

// forget drops what was found.
func (s *jsonScanner) forget() {
	for i := range s.paths {
		s.paths[i].start, s.paths[i].places = -1, s.paths[i].places[:0]
	}
}

// release lets go of scratch memory that a long record needed.
func (s *jsonScanner) release() {
	s.src, s.name = nil, KeepScratch(s.name)
	for i := range s.paths {
		w := &s.paths[i]
		w.text, w.scratch = nil, KeepScratch(w.scratch)
		if cap(w.places) > maxKeptPlaces {
			w.places = nil
		}
	}
}

// value goes over the value at src[i:], which lies depth values deep, and returns the index after
// it, or -1 if there is no valid one. onPath says whether a path can lead into it.
func (s *jsonScanner) value(i, depth int, onPath bool) int {
	if i >= len(s.src) {
		return -1
	}
	switch c := s.src[i]; c {
	case '"':
		return jsontext.SkipString(s.src, i)
	case '{':
		return s.object(i, depth, onPath)
	case '[':
		return s.array(i, depth, onPath)
	case 't':
		return jsontext.SkipLiteral(s.src, i, "true")
	case 'f':
		return jsontext.SkipLiteral(s.src, i, "false")
	case 'n':
		return jsontext.SkipLiteral(s.src, i, "null")
	case 'N':
		s.nonFinite = true
		return jsontext.SkipLiteral(s.src, i, "NaN")
	case 'I':
		s.nonFinite = true
		return jsontext.SkipLiteral(s.src, i, "Infinity")
	case '-':
		if i+1 < len(s.src) && s.src[i+1] == 'I' {
			s.nonFinite = true
			return jsontext.SkipLiteral(s.src, i, "-Infinity")
		}
	}
	return jsontext.SkipNumber(s.src, i)
}

func (s *jsonScanner) object(i, depth int, onPath bool) int {
	src := s.src
	if depth == maxNesting {
		s.tooDeep = true
		return -1
	}
	i = jsontext.SkipSpace(src, i+1)
	if i < len(src) && src[i] == '}' {
		return i + 1
	}
	for i < len(src) && src[i] == '"' {
		var name []byte
		if onPath {
			name, i = jsontext.Unquote(&s.name, src, i)
		} else {
			i = jsontext.SkipString(src, i)
		}
		if i < 0 {
			return -1
		}
		i = jsontext.SkipSpace(src, i)
		if i == len(src) || src[i] != ':' {
			return -1
		}
		i = jsontext.SkipSpace(src, i+1)
		var last bool
		if i, last = s.inner(i, depth, onPath && s.enterMember(name, i, depth), '}'); last || i < 0 {
			return i
		}
	}
	return -1
}

func (s *jsonScanner) array(i, depth int, onPath bool) int {
	src := s.src
	if depth == maxNesting {
		s.tooDeep = true
		return -1
	}
	i = jsontext.SkipSpace(src, i+1)
	if i < len(src) && src[i] == ']' {
		return i + 1
	}
	for n := 0; ; n++ {
		var last bool
		if i, last = s.inner(i, depth, onPath && s.enterElement(n, i, depth), ']'); last || i < 0 {
			return i
		}
	}
}

// inner goes over a value of an object or array, and what follows it: a comma, or what closes the
// object or array. onPath says that a path leads into the value. It returns the place of what comes
// next, or -1, and whether that value was the last one.
func (s *jsonScanner) inner(i, depth int, onPath bool, closing byte) (next int, last bool) {
	if onPath {
		i = s.wanted(i, depth+1)
	} else {
		i = s.value(i, depth+1, false)
	}
	if i < 0 {
		return -1, false
	}
	i = jsontext.SkipSpace(s.src, i)
	switch {
	case i == len(s.src):
		return -1, false
	case s.src[i] == closing:
		return i + 1, true
	case s.src[i] != ',':
		return -1, false
	}
	return jsontext.SkipSpace(s.src, i+1), false
}

// enterMember notes which paths lead into the member of that name, whose value is at src[at:], in
// an object that the given number of steps leads to. It reports whether any does. What these paths
// found in an earlier member of the same name does not count any more.
func (s *jsonScanner) enterMember(name []byte, at, steps int) (any bool) {
	for i := range s.paths {
		w := &s.paths[i]
		if w.matched != steps || len(w.steps) <= steps {
			continue
		}
		switch step := &w.steps[steps]; {
		case step.all:
			any = w.enterAny(s.src, at, steps) || any
		case string(name) == step.key:
			w.matched, w.start = steps+1, -1
			if w.several {
				w.before[steps+1] = w.before[steps]
				w.places = w.places[:w.before[steps]]
			}
			any = true
		}
	}
	return any
}

// enterAny enters one of several members or elements, unless a condition leaves it out.
func (w *want) enterAny(src []byte, at, steps int) bool {
	if where := w.steps[steps].where; where != nil && !where.holds(src, at) {
		w.passed++
		return false
	}
	w.matched, w.before[steps+1] = steps+1, len(w.places)
	return true
}

// enterElement is enterMember for an element of an array.
func (s *jsonScanner) enterElement(n, at, steps int) (any bool) {
	for i := range s.paths {
		w := &s.paths[i]
		if w.matched != steps || len(w.steps) <= steps {
			continue
		}
		switch step := &w.steps[steps]; {
		case step.all:
			any = w.enterAny(s.src, at, steps) || any
		case step.index == n:
			if w.matched = steps + 1; w.several {
				w.before[steps+1] = w.before[steps]
			}
			any = true
		}
	}
	return any
}

// wanted is value for a value that the given number of steps of some paths leads to. After it these
// paths lead only to the object or array around it.
func (s *jsonScanner) wanted(i, steps int) (end int) {
	end = -1
	if i < len(s.src) && s.src[i] == '"' {
		for k := range s.paths[:s.unquotes] {
			w := &s.paths[k]
			if !w.several && w.matched == steps && len(w.steps) == steps {
				if w.text, end = jsontext.Unquote(&w.scratch, s.src, i); end < 0 {
					return -1
				}
			}
		}
	}
	if end < 0 {
		end = s.value(i, steps, true)
	}
	for k := range s.paths {
		if w := &s.paths[k]; w.matched >= steps {
			if len(w.steps) == steps {
				w.start, w.end = i, end
				if w.several {
					w.places = append(w.places, uint32(i))
				}
			} else if w.several && w.steps[steps-1].all && len(w.places) == w.before[steps] {
				w.lacking++
			}
			w.matched = steps - 1
		}
	}
	return end
}
