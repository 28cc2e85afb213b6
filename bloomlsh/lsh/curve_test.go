package lsh

import (
	"encoding/xml"
	"io"
	"math"
	"strings"
	"testing"
)

// The curve depends on the number of votes; none given means one.
func TestCurveAt(t *testing.T) {
	for jaccard, want := range map[float64]float64{.85: .677, .8: .156, .7: .00037} {
		if got := (Curve{Bands: 32, Rows: 8, Votes: 8}).At(jaccard); math.Abs(got-want) > .0006 {
			t.Errorf("8 of 32 bands of 8 rows catch %g at %g, want %g", got, jaccard, want)
		}
		if got, want := (Curve{Bands: 14, Rows: 9}).At(jaccard), CatchProbability(jaccard, 14, 9); got != want {
			t.Errorf("14 bands of 9 rows catch %g at %g, want %g", got, jaccard, want)
		}
	}
	for c, want := range map[Curve]string{
		{14, 9, 0, .85}: "14 bands of 9 rows, any one: a pair at the threshold 0.85 is caught with 97.5 %",
		{32, 8, 8, .85}: "8 of 32 bands of 8 rows: a pair at the threshold 0.85 is caught with 67.7 %",
	} {
		if got := c.title(); got != want {
			t.Errorf("title %q, want %q", got, want)
		}
	}
}

func TestCurveText(t *testing.T) {
	var text strings.Builder
	if err := (Curve{Bands: 14, Rows: 9, Threshold: .85}).WriteText(&text, 61, 11); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text.String(), "\n")
	if len(lines) != 15 || !strings.HasPrefix(lines[1], "100% │") || strings.Count(lines[1], "*") < 8 {
		t.Errorf("\n%s", text.String())
	}
	t.Logf("\n%s", text.String())
	if err := (Curve{Bands: 14, Rows: 9, Threshold: .85}).WriteText(&text, 5, 2); err == nil {
		t.Error("a curve of 5 by 2 characters is drawn")
	}
}

func TestCurveSVG(t *testing.T) {
	for _, c := range []Curve{{1, 1, 0, 1}, {42, 6, 1, .5}, {14, 9, 0, .85}, {32, 8, 8, .85}} {
		var text strings.Builder
		if err := c.WriteSVG(&text); err != nil {
			t.Fatal(err)
		}
		decoder := xml.NewDecoder(strings.NewReader(text.String()))
		for {
			if _, err := decoder.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if !strings.Contains(text.String(), c.title()) {
			t.Errorf("%+v: no title %q", c, c.title())
		}
		if strings.Contains(text.String(), "NaN") || strings.Contains(text.String(), "%!") {
			t.Errorf("%+v: %s", c, text.String())
		}
	}
}
