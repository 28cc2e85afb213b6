package urlkey

import (
	"encoding/binary"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/publicsuffix"
)

var update = flag.Bool("update", false, "rewrite the filter from the names in the public list")

// A suffixList is the list of the library, as its tables have it.
type suffixList struct {
	nodes, children, text []byte
	bits                  map[string]int // how they are packed: constants of the library
}

// TestFilterOfNames checks that names.filter was made from the list that the library has, and that
// it contains all names that the library tells apart.
func TestFilterOfNames(t *testing.T) {
	list := readList(t)
	want, names := make([]byte, 16<<10), []string{}
	list.each(0, list.bits["numTLD"], "", func(name string) {
		names = append(names, name)
		hash := uint64(0)
		for i := len(name) - 1; i >= 0; i-- {
			hash = hashOn(hash, name[i])
		}
		for range 3 {
			bit := hash % (16 << 13)
			want[bit/8] |= 1 << (bit % 8)
			hash >>= 17
		}
	})
	if *update {
		if err := os.WriteFile("names.filter", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return // run the test again, with the filter that was written
	}
	if string(want) != listedNames {
		t.Fatal("names.filter is of another list: go test ./internal/urlkey -run TestFilterOfNames -update")
	}
	if len(names) < 5000 {
		t.Fatalf("the list has %d names", len(names))
	}
	var h hosts
	for _, name := range names {
		for _, before := range []string{"", "a.", "b.a.", "c.b.a."} {
			name := before + name
			of, byICANN := h.publicSuffix([]byte(name))
			wantOf, wantICANN := publicsuffix.PublicSuffix(name)
			if string(of) != wantOf || byICANN != wantICANN {
				t.Fatalf("the suffix of %s is %s, %v; the library says %s, %v", name, of, byICANN, wantOf, wantICANN)
			}
		}
	}
}

// readList reads the tables in the source of the library, wherever the go command has it.
func readList(t *testing.T) (l suffixList) {
	t.Helper()
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "golang.org/x/net/publicsuffix").Output()
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	l = suffixList{read("data/nodes"), read("data/children"), read("data/text"), map[string]int{}}
	constant := regexp.MustCompile(`(?m)^\s*(?:const )?(\w+)\s*= (\d+)$`)
	for _, found := range constant.FindAllSubmatch(read("table.go"), -1) {
		l.bits[string(found[1])], _ = strconv.Atoi(string(found[2]))
	}
	return l
}

// each calls do with the names of two labels and more below the nodes from lo to hi.
func (l suffixList) each(lo, hi int, end string, do func(name string)) {
	size := l.bits["nodesBits"] / 8
	for i := lo; i < hi; i++ {
		node := int(binary.BigEndian.Uint64(append(make([]byte, 8-size), l.nodes[i*size:][:size]...)))
		take := func(name string) (part int) {
			part, node = node&(1<<l.bits[name]-1), node>>l.bits[name]
			return part
		}
		length, at := take("nodesBitsTextLength"), take("nodesBitsTextOffset")
		name := string(l.text[at:][:length]) + end
		if end != "" {
			do(name)
		}
		take("nodesBitsICANN")
		node = int(binary.BigEndian.Uint32(l.children[4*take("nodesBitsChildren"):]))
		first := take("childrenBitsLo")
		l.each(first, take("childrenBitsHi"), "."+name, do)
	}
}
