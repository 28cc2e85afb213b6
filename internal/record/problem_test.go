package record

import "testing"

func TestProblemsHaveNames(t *testing.T) {
	for _, name := range ProblemNames() {
		p, ok := ProblemNamed(name)
		if !ok || p.Name() != name || p.Describe(Framed("record", nil),
			0) == (Problem{}).Describe(Framed("record", nil), 0) {
			t.Errorf("%q: %+v, %v", name, p, ok)
		}
	}
	if _, ok := ProblemNamed("readable"); ok {
		t.Error("a readable record has a problem")
	}
}
