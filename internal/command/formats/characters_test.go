package formats

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/columns"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/stream"
)

// TestRowsWithoutCharacters reads rows of text that is not UTF-8: as JSON they have no form, unless
// what is in no character is to be replaced.
func TestRowsWithoutCharacters(t *testing.T) {
	for _, name := range []string{"parquet", "arrow"} {
		path := filepath.Join(t.TempDir(), "x."+name)
		var file bytes.Buffer
		build := map[string]func(columnar.Output, []columns.Column, Form) (columnar.Builder, error){
			"parquet": newParquetBuilder, "arrow": newArrowBuilder,
		}[name]
		list := []columns.Column{{Name: "text", Kind: columns.String}}
		b, err := build(columnar.Output{To: &file, Path: path}, list, Form{})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"caf\xe9", "café", "\xff\xfe"} {
			b.Bytes([]byte(text))
			b.EndRow()
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		replaced := 0
		for _, replace := range []func(int){nil, func(n int) { replaced += n }} {
			rows := of(name).rows(columnar.RowNeeds{MaxRecord: 1 << 20, AsJSON: true, Replaced: replace})
			r, err := rows.Open("x", path, files.Standard())
			if err != nil {
				t.Fatal(err)
			}
			var got stream.Records
			if err := r.ReadRecords(context.Background(), &got); err != nil && err != io.EOF {
				t.Fatal(err)
			}
			r.Close()
			for i, rec := range got.List {
				if refused := replace == nil && i != 1; rec.Problem.IsNotUTF8() != refused {
					t.Errorf("%s, row %d: %s", name, i, rec.Problem.Name())
				}
			}
			if lines := string(got.Buf); replace != nil && (strings.ToValidUTF8(lines, "") != lines || replaced != 3) {
				t.Errorf("%s: %d replaced: %q", name, replaced, lines)
			}
		}
	}
}
