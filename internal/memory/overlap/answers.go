package overlap

import "slices"

// An Answer is the text that follows an item where both were copied.
type Answer struct {
	Text   []byte // without words if none is known
	Needed bool   // the item alone says too little: it counts only where its answer follows
}

// answerWithin is the number of words after an item within which its answer begins, not counting
// words of the item that may be missing after the last one found. Choices may stand in between.
const answerWithin = 50

// answerWords is the maximum number of words of an answer that are compared. A longer one is
// recognized by its beginning.
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

// isAnswerAt reports whether the words of an answer begin at word at of the text.
func (f *Finder) isAnswerAt(answer []uint64, at int) bool {
	for k, w := range answer {
		if f.words[at+k].hash != w {
			return false
		}
	}
	return true
}
