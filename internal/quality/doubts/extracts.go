package doubts

import (
	"fmt"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/units"
)

// Extracts compares records that are equal after their texts were transformed: pages with equal
// main contents by their visible texts, pages with hardly any visible text by their sources, and
// texts with equal normal forms by the original texts. If these are unlike, the transformation has
// dropped what the records are about. It is safe for concurrent use.
type Extracts struct {
	kind   extractKind
	first  firsts[outline] // by the hash of the extract
	pages  uint64          // an estimate from those examined
	unlike uint64          // pages that have the extract of an earlier page but are unlike it
}

const (
	// Pages are unlike if their visible texts have less in common than this, by an estimate with a
	// standard deviation of .06. Below, the extract is less than half of either text.
	unlikeBelow = .3

	leastUnlike      = 10   // pages
	leastUnlikeShare = .002 // of all

	// A page shows hardly anything if its extract is shorter than this part of it. The sources of
	// such pages are unlike below a higher similarity, since they share what draws them; if they
	// differ by less, that may be a token or an advertisement.
	hardlyVisible    = .05
	unlikeSources    = .8
	leastHiddenShare = .01 // of all
)

// An extractKind says in words what is compared, and from where on it is in doubt.
type extractKind struct {
	name, noun, says, try   string
	unlikeBelow, leastShare float64
}

// NewExtracts returns an empty Extracts of main contents.
func NewExtracts() *Extracts {
	return newExtracts(extractKind{"extracts", "page", "have the same main content as a page whose visible text is " +
		"unlike theirs", "compare all that is visible: --markup html-text", unlikeBelow, leastUnlikeShare})
}

// NewHidden returns an empty Extracts of pages, for ExamineSource.
func NewHidden() *Extracts {
	return newExtracts(extractKind{"hidden", "page", "show the same few words as an earlier page and differ in what " +
		"is not visible, such as scripts, titles or templates that may hold their contents",
		"let a browser render them first, or compare the pages as they are: --markup none", unlikeSources,
		leastHiddenShare})
}

// NewNormalForms returns an empty Extracts of texts after the given normalization.
func NewNormalForms(normalize string) *Extracts {
	return newExtracts(extractKind{"unlike", "record", "are equal after --normalize " + normalize + " to one whose " +
		"text is unlike theirs", "leave more of the text: --normalize nfkc-fold is the default", unlikeBelow,
		leastUnlikeShare})
}

func newExtracts(kind extractKind) *Extracts { return &Extracts{kind: kind} }

// Examine examines the extract of a page. visible returns its visible text, and is not called for
// every page.
func (e *Extracts) Examine(extract []byte, visible func() []byte) {
	hash := xxh3.Hash(extract)
	if !e.first.examines(hash) {
		return
	}
	of := outlineOf(visible())
	e.first.lock.Lock()
	defer e.first.lock.Unlock()
	first, known, weight := e.first.meet(hash, of)
	e.pages += weight
	if known && first.similarity(of) < e.kind.unlikeBelow {
		e.unlike += weight
	}
}

// ExamineSource examines a page by its source if its extract is only a small part of it.
func (e *Extracts) ExamineSource(extract, page []byte) {
	if float64(len(extract)) < hardlyVisible*float64(len(page)) {
		e.Examine(extract, func() []byte { return page })
		return
	}
	e.first.lock.Lock()
	e.pages++
	e.first.lock.Unlock()
}

// All returns the doubts so far.
func (e *Extracts) All() []Doubt {
	if e == nil {
		return nil
	}
	e.first.lock.Lock()
	defer e.first.lock.Unlock()
	if e.unlike < leastUnlike || float64(e.unlike) < e.kind.leastShare*float64(e.pages) {
		return nil
	}
	says := fmt.Sprintf("about %s of %s %s", units.Count(e.unlike), units.Of(e.pages, e.kind.noun), e.kind.says)
	return []Doubt{{e.kind.name, says, e.kind.try}}
}

// An outline estimates the Jaccard similarity of texts, as sets of three words, by MinHash with one
// permutation: each hash belongs to a slot, which holds the smallest one, or 0 if there is none.
type outline [64]uint32

func outlineOf(text []byte) (o outline) {
	var words [3]uint64
	count := 0
	for len(text) > 0 {
		n := 0
		for n < len(text) && text[n] > ' ' {
			n++
		}
		if n > 0 {
			words[0], words[1], words[2] = words[1], words[2], xxh3.Hash(text[:n])
			if count++; count >= len(words) {
				o.add(words)
			}
		}
		text = text[min(n+1, len(text)):]
	}
	if count < len(words) {
		o.add(words)
	}
	return o
}

func (o *outline) add(words [3]uint64) {
	hash := (words[0]*3+words[1])*5 + words[2]
	hash ^= hash >> 29
	hash *= 0xbf58476d1ce4e5b9 // the finalizer of SplitMix64
	hash ^= hash >> 32
	slot, value := hash>>58, uint32(hash)|1
	if o[slot] == 0 || value < o[slot] {
		o[slot] = value
	}
}

func (o outline) similarity(other outline) float64 {
	equal, used := 0, 0
	for i := range o {
		if o[i] == 0 && other[i] == 0 {
			continue
		}
		used++
		if o[i] == other[i] {
			equal++
		}
	}
	return float64(equal) / float64(max(1, used))
}
