package stream

import "testing"

// passingOn is a judge that passes on what another one can do.
type passingOn struct{ to Judge }

func (p passingOn) Unwrap() Judge                             { return p.to }
func (p passingOn) Judge(b Batch, out []Verdict) (int, error) { return p.to.Judge(b, out) }

// needsSketches remembers nothing, whatever the judge behind it does.
type needsSketches struct{ passingOn }

func (needsSketches) Remembers(uint16) bool { return false }
func (needsSketches) VotesOfCopy() int      { return 0 }

// forGood is an index that remembers all for good.
type forGood struct{ foreseeing }

func (*forGood) Remembers(uint16) bool   { return true }
func (*forGood) ObserveCopies(int) error { return nil }

// A wrapper has the abilities of the judge behind it, but for those that it has itself.
func TestAbilityIsPassedOn(t *testing.T) {
	judge := ByVotes(&forGood{}, 1)
	for _, c := range []struct {
		name                   string
		judge                  Judge
		prefetches, remembers  bool
		isPrefetcher, isRecall bool
	}{
		{"the judge itself", judge, true, true, true, true},
		{"behind two", passingOn{passingOn{judge}}, true, true, true, true},
		{"behind one that needs sketches", passingOn{needsSketches{passingOn{judge}}}, true, false, true, true},
		{"a judge that can do nothing else", passingOn{KeepAll{}}, false, false, false, false},
	} {
		prefetcher, isPrefetcher := Ability[Prefetcher](c.judge)
		rememberer, isRecall := Ability[Rememberer](c.judge)
		if isPrefetcher != c.isPrefetcher || isRecall != c.isRecall {
			t.Errorf("%s: %t, %t", c.name, isPrefetcher, isRecall)
			continue
		}
		if isPrefetcher && prefetcher.CanPrefetch() != c.prefetches ||
			isRecall && rememberer.Remembers(0) != c.remembers {
			t.Errorf("%s: it prefetches or remembers otherwise", c.name)
		}
	}
}
