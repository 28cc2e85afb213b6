package object

import (
	"io"
	"testing"
)

// TestLooksAtTheBeginning: of an object that is only looked at one part is fetched.
func TestLooksAtTheBeginning(t *testing.T) {
	s := &server{body: objectOf(20), tag: "v1"}
	c, web, s3 := begin(t, s)
	for _, path := range []string{web, s3} {
		for wanted, asked := range map[int]int{0: 1, testPart/2 - 1: 1, len(s.body): 21} {
			s.asked = 0
			r, err := c.Open(path)
			if err == nil {
				_, err = io.ReadFull(r, make([]byte, wanted))
			}
			if err == nil && wanted == 0 {
				_, err = r.Read(make([]byte, 1)) // the fetch may not have begun
			}
			if err != nil || r.Close() != nil {
				t.Fatal(err)
			}
			if s.asked != asked {
				t.Errorf("%s: %d requests for %d bytes, want %d", path, s.asked, wanted, asked)
			}
		}
	}
}
