package urlkey

import "testing"

// TestDOI: the ways in which a DOI is written are one, and what is no DOI stays as it is.
func TestDOI(t *testing.T) {
	w := NewWriter(DOI)
	for _, written := range []string{
		"10.1000/ABC(1)2", "doi:10.1000/abc(1)2", "DOI: 10.1000/abc(1)2", "https://doi.org/10.1000/abc(1)2",
		"http://dx.doi.org/10.1000/abc(1)2", "https://www.doi.org/10.1000/abc%281%292", " 10.1000%2Fabc(1)2 ",
		"doi.org/10.1000/abc(1)2", "doi 10.1000/abc(1)2",
	} {
		if key, isDOI := w.Append(nil, []byte(written)); !isDOI || string(key) != "10.1000/abc(1)2" {
			t.Errorf("%q: %q, %v", written, key, isDOI)
		}
	}
	for _, written := range []string{
		"", "10.1000", "10.1000/", "10./x", "https://example.org/10.1000/x", "https://10.1000/x", "11.1/x", "doi:%zz",
	} {
		if key, isDOI := w.Append(nil, []byte(written)); isDOI || string(key) != written {
			t.Errorf("%q: %q, %v", written, key, isDOI)
		}
	}
}
