package overlap

// common lists words that are very frequent in English texts. Several in a row occur everywhere by
// chance.
const common = `the of and to a in is it you that he was for on are with as i his they be at one have this from or
	had by but not what all were we when your can said there use an each which she do how their if will up other
	about out many then them these so some her would make like him into has look two more go see no way could my
	than been who its now did get come may any most only over also our such here just very where does why should
	me because us between am those both being same following true false correct answer question yes`

// A WordCount is the number of different words of a text, and of those that are rare. A word is
// common if it is one of the most common of English, or if one in twenty texts of the set has it
// and there are at least a hundred.
type WordCount struct{ Different, Rare int }

// A Words counts the words of texts, normalized as in items.
type Words struct {
	placed   *placed
	isCommon map[uint64]bool
	words    []placedWord
	seen     map[uint64]bool
}

const (
	leastTexts  = 100 // below that, texts say nothing about which words are common
	commonShare = 20  // a word in one of this many texts is common
)

// NewWords returns the Words of an evaluation set with these texts.
func NewWords(texts [][]byte) *Words {
	w := &Words{placed: newPlaced(), isCommon: map[uint64]bool{}, seen: map[uint64]bool{}}
	w.different([]byte(common))
	for word := range w.seen {
		w.isCommon[word] = true
	}
	if len(texts) < leastTexts {
		return w
	}
	with := map[uint64]int{}
	for _, text := range texts {
		w.different(text)
		for word := range w.seen {
			if with[word]++; with[word]*commonShare >= len(texts) {
				w.isCommon[word] = true
			}
		}
	}
	return w
}

// different sets w.seen to the words of a text.
func (w *Words) different(parts ...[]byte) {
	clear(w.seen)
	for _, part := range parts {
		w.words = w.placed.append(w.words[:0], part)
		for _, word := range w.words {
			w.seen[word.hash] = true
		}
	}
}

// Count counts the words of some texts as if they were one.
func (w *Words) Count(parts ...[]byte) (c WordCount) {
	w.different(parts...)
	for word := range w.seen {
		c.Different++
		if !w.isCommon[word] {
			c.Rare++
		}
	}
	return c
}

// IsDistinct reports whether a text with these words hardly occurs anywhere by chance: it has at
// least least different words, and at least half as many count, where five common words count as
// one.
func (c WordCount) IsDistinct(least int) bool {
	return c.Different >= least && 5*c.Rare+(c.Different-c.Rare) >= 5*(least/2)
}
