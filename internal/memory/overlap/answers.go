package overlap

import "slices"

// An Answer is what follows an item where somebody has copied both.
type Answer struct {
	Text   []byte // without words if none is known
	Needed bool   // the item alone says too little: it counts only where its answer follows
}

// An answer follows an item if it begins within a number of words after the last one found, beyond
// those of the item that may be missing: choices may stand between them.
const answerWithin = 50

// answerWords is how many words of an answer are looked for, at most: a longer one is known by its
// beginning.
const answerWords = 13

// setAnswer gives the item its answer.
func (i *Item) setAnswer(p *placed, a Answer) {
	i.needsAnswer = a.Needed
	for _, w := range p.append(nil, a.Text) {
		if i.answer = append(i.answer, w.hash); len(i.answer) == answerWords {
			break
		}
	}
}

// isAnswered reports whether the answer of an item follows one of its runs in the text.
func (f *Finder) isAnswered(item *Item, runs []run) bool {
	if len(item.answer) == 0 {
		return false
	}
	return slices.ContainsFunc(runs, func(r run) bool {
		words := int(r.passages) + item.window - 1
		from := int(r.begins) + words
		missing := len(item.words) - int(r.at) - words
		to := min(len(f.words)-len(item.answer), from+missing+answerWithin)
		for at := from; at <= to; at++ {
			if f.isAnswerAt(item.answer, at) {
				return true
			}
		}
		return false
	})
}

// isAnswerAt reports whether the words of an answer begin at that word of the text.
func (f *Finder) isAnswerAt(answer []uint64, at int) bool {
	for k, w := range answer {
		if f.words[at+k].hash != w {
			return false
		}
	}
	return true
}
