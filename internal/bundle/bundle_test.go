package bundle

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tarOf is an archive of some members, which have contents of their own.
func tarOf(t *testing.T, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i, name := range names {
		text := strings.Repeat(fmt.Sprintf("contents %d of %s\n", i, name), 100*i)
		header := &tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o600, Size: int64(len(text))}
		if err := w.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, text)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func opener(data []byte) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
}

func contents(e *Edges) string { return fmt.Sprint(e.Length) }

// textOf reads a member.
func textOf(t *testing.T, a *Archive, m Member) string {
	t.Helper()
	in, err := a.Open(m)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	text, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestMembersInAnyOrder opens members in their order, backwards, and two at a time.
func TestMembersInAnyOrder(t *testing.T) {
	a, err := Tar(opener(tarOf(t, "a", "./b", "c/d", "a", "../e", "/f")), contents)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	texts := map[string]string{}
	for _, m := range a.Members {
		names = append(names, m.Name)
		texts[m.Name] = textOf(t, a, m)
		if m.Contents != fmt.Sprint(m.Size) || int64(len(texts[m.Name])) != m.Size {
			t.Errorf("%s: %d bytes of %d, contents %s", m.Name, len(texts[m.Name]), m.Size, m.Contents)
		}
	}
	if want := []string{"a", "b", "c/d", "a#2", "e", "f"}; !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
	for _, m := range slices.Backward(a.Members) {
		other, err := a.Open(a.Members[1])
		if err != nil {
			t.Fatal(err)
		}
		if got := textOf(t, a, m); got != texts[m.Name] {
			t.Errorf("%s, read backwards: %q", m.Name, got)
		}
		if text, err := io.ReadAll(other); err != nil || string(text) != texts["b"] {
			t.Errorf("b, read meanwhile: %q, %v", text, err)
		}
		other.Close()
	}
}

// TestCutArchives cuts an archive at every place: it has all of its members, or it is an error.
func TestCutArchives(t *testing.T) {
	whole := tarOf(t, "a", "b", "c")
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(whole)
	z.Close()
	for end := range packed.Len() {
		cut := packed.Bytes()[:end]
		a, err := Tar(func() (io.ReadCloser, error) { return gzip.NewReader(bytes.NewReader(cut)) }, contents)
		if err == nil {
			t.Fatalf("%d of %d bytes: %v", end, packed.Len(), a.Members)
		}
	}
	for end := 1; end < len(whole); end++ {
		a, err := Tar(opener(whole[:end]), contents)
		if err == nil && len(a.Members) < 3 {
			t.Fatalf("%d of %d bytes: %v", end, len(whole), a.Members)
		}
	}
}

func TestArchivesBehindEachOther(t *testing.T) {
	two := append(tarOf(t, "a"), tarOf(t, "b")...)
	if a, err := Tar(opener(two), contents); err == nil || !strings.Contains(err.Error(), "follows its end mark") {
		t.Error(a, err)
	}
	padded := append(tarOf(t, "a"), make([]byte, 100_000)...)
	if a, err := Tar(opener(padded), contents); err != nil || len(a.Members) != 1 {
		t.Error(a, err)
	}
}

func TestZip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.zip")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(file)
	for i, name := range []string{"a.txt", "dir/", "dir/b.txt", "a.txt", "secret", "odd"} {
		header := &zip.FileHeader{Name: name, Method: []uint16{zip.Store, zip.Deflate}[i%2]}
		var to io.Writer
		switch name {
		case "secret":
			header.Flags, header.CompressedSize64 = isEncrypted, 4
			to, err = w.CreateRaw(header)
		case "odd":
			header.Method, header.CompressedSize64 = 97, 4
			to, err = w.CreateRaw(header)
		default:
			to, err = w.CreateHeader(header)
		}
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "/") {
			io.WriteString(to, "text")
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file.Close()
	a, err := Zip(func() (*os.File, error) { return os.Open(path) })
	if err != nil || len(a.Members) != 5 {
		t.Fatal(a, err)
	}
	for _, m := range a.Members[:3] {
		if got := textOf(t, a, m); got != "text" {
			t.Errorf("%s: %q", m.Name, got)
		}
	}
	for i, want := range []string{"it is encrypted", "method 97 of zip, which is not read"} {
		if _, err := a.Open(a.Members[3+i]); err == nil || !strings.Contains(err.Error(), want) {
			t.Error(err)
		}
	}
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
	if a, err := Zip(func() (*os.File, error) { return os.Open(path) }); err == nil {
		t.Error("cut, and read: ", a.Members)
	}
}

// TestWhatBegins knows archives by their first bytes, and takes no text for one.
func TestWhatBegins(t *testing.T) {
	v7 := tarOf(t, "a", "b")[:HeadBytes]
	for i := 257; i < 265; i++ { // without the mark of later tars; the checksum goes down with it
		v7[i] = 0
	}
	sum := 8 * int(' ')
	for i, c := range v7 {
		if i < 148 || i >= 156 {
			sum += int(c)
		}
	}
	copy(v7[148:], fmt.Sprintf("%06o\x00 ", sum))
	for _, head := range [][]byte{tarOf(t, "a")[:HeadBytes], tarOf(t, strings.Repeat("long", 60))[:HeadBytes], v7} {
		if Describe(head) != "a tar archive" || Advice(head) == "" {
			t.Errorf("%q", head[:100])
		}
	}
	words, zeros := strings.Repeat("words and words\n", 100), strings.Repeat("\x00", 600)
	for _, text := range []string{"", "{\"text\": \"a\"}\n", words, zeros} {
		if what := Describe([]byte(text)[:min(len(text), HeadBytes)]); what != "" {
			t.Errorf("%.20q is %s", text, what)
		}
	}
}

func TestEdges(t *testing.T) {
	text := make([]byte, 3*EdgeBytes+17)
	for i := range text {
		text[i] = byte(i / 251 * 7)
	}
	for _, size := range []int{0, 1, EdgeBytes, EdgeBytes + 1, len(text)} {
		for _, step := range []int{1000, EdgeBytes, 2 * EdgeBytes} {
			e := &Edges{}
			for at := 0; at < size; at += step {
				e.Write(text[at:min(at+step, size)])
			}
			if int(e.Length) != size || !bytes.Equal(e.First(), text[:min(size, EdgeBytes)]) ||
				!bytes.Equal(e.Last(), text[max(0, size-EdgeBytes):size]) {
				t.Errorf("%d bytes, %d at a time", size, step)
			}
		}
	}
}
