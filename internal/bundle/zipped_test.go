package bundle

import (
	"archive/zip"
	"bytes"
	"testing"
)

// TestZippedDocumentsAreNamed is that a zip archive of one purpose is called by that, and any other
// one a zip archive, also if its first bytes are cut short.
func TestZippedDocumentsAreNamed(t *testing.T) {
	for first, want := range map[string]string{
		"[Content_Types].xml": "an office document", "xl/workbook.xml": "a spreadsheet",
		"archive/data.warc.gz": "a web archive collection (WACZ)", "records.jsonl": "a zip archive",
	} {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		if _, err := w.Create(first); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got := Describe(b.Bytes()); got != want {
			t.Errorf("an archive of %s is %s, not %s", first, got, want)
		}
		for n := range b.Len() {
			Describe(b.Bytes()[:n])
		}
	}
}
