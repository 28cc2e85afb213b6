package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestImportsRunOneWay keeps the arrows of ARCHITECTURE.md: what each package of ours may import of
// ours.
func TestImportsRunOneWay(t *testing.T) {
	allowed := map[string]string{
		"": "command config files internal/addresses internal/descriptors",
		"run": "bloomlsh config files formats formats/shards internal/indexbucket internal/journal " +
			"internal/shown internal/units internal/usage memory method overlap quality/audit " +
			"quality/report sa/substr sketch stream stream/compress stream/kafka stream/object stream/sketchfile",
		"command": "bloomlsh config files formats internal/indexbucket internal/journal internal/shown " +
			"internal/units internal/usage memory memory/signatures method overlap quality/audit " +
			"quality/eval quality/report run sa/substr sketch sketch/markup sketch/simhash stream " +
			"stream/compress stream/kafka stream/object stream/sketchfile",
		"method": "bloomlsh config files internal/fsync internal/parameter internal/private " +
			"internal/units internal/usage memory memory/fingerprints memory/samples " +
			"memory/signatures memory/vectors overlap sketch sketch/chinese sketch/embedding " +
			"sketch/fracminhash sketch/markup sketch/onnx sketch/simhash sketch/tlsh stream " +
			"stream/compress stream/kafka",
		"quality/audit": "",
		"chaos":         "", // a test: it runs the program
		"config": "bloomlsh config/help formats formats/shards internal/columns internal/shown internal/usage " +
			"overlap quality/eval sketch sketch/tlsh",
		"config/help": "",
		"dedup":       "bloomlsh memory memory/signatures sketch stream",
		"quality/eval": "bloomlsh memory memory/fingerprints memory/samples memory/signatures " +
			"memory/vectors overlap quality/audit quality/report sketch sketch/fracminhash " +
			"sketch/simhash sketch/tlsh stream",
		"formats": "files internal/columns internal/textfield internal/usage stream stream/arrow " +
			"stream/columnar stream/compress stream/object stream/parquet stream/warc",
		"formats/shards":      "files formats internal/shown internal/usage stream stream/compress stream/object",
		"signature":           "internal/parameter sketch sketch/embedding sketch/simhash sketch/tlsh memory/vectors",
		"stream":              "",
		"stream/arrow":        "internal/jsonvalue stream stream/columnar stream/parquet",
		"stream/columnar":     "stream",
		"stream/compress":     "",
		"stream/kafka":        "bloomlsh stream",
		"stream/object":       "",
		"stream/parquet":      "internal/jsonvalue stream stream/columnar",
		"stream/sketchfile":   "internal/parameter",
		"stream/warc":         "stream stream/compress",
		"sketch":              "",
		"sketch/chinese":      "sketch",
		"sketch/embedding":    "",
		"sketch/markup":       "",
		"sketch/onnx":         "sketch/embedding",
		"sketch/fracminhash":  "internal/hashset sketch",
		"sketch/simhash":      "internal/hashset internal/parameter sketch",
		"sketch/tlsh":         "sketch",
		"bloomlsh":            "internal/fsync internal/parameter internal/private internal/units",
		"memory":              "internal/framelog internal/offheap internal/union stream",
		"memory/fingerprints": "internal/framelog internal/offheap memory sketch/simhash sketch/tlsh",
		"memory/samples": "internal/framelog internal/offheap internal/postings memory " +
			"sketch/fracminhash",
		"memory/signatures": "internal/framelog internal/offheap internal/postings internal/union memory " +
			"sketch",
		"memory/vectors":       "internal/framelog memory",
		"overlap":              "sketch stream",
		"quality/report":       "internal/units",
		"sa":                   "",
		"sa/substr":            "internal/fsync internal/private sa",
		"files":                "internal/fsync internal/units internal/usage stream stream/compress stream/object",
		"internal/columns":     "stream",
		"internal/fixedseed":   "", // for tests
		"internal/framelog":    "",
		"internal/fsync":       "",
		"internal/jsonvalue":   "",
		"internal/journal":     "internal/fsync internal/private stream",
		"internal/kafkatest":   "", // for tests and measurements
		"internal/s3test":      "", // for tests
		"internal/hashset":     "",
		"internal/offheap":     "",
		"internal/postings":    "internal/offheap",
		"internal/parameter":   "",
		"internal/private":     "",
		"internal/textfield":   "",
		"internal/union":       "",
		"internal/units":       "",
		"internal/usage":       "",
		"internal/addresses":   "",
		"internal/descriptors": "",
		"internal/shown":       "",

		"internal/indexbucket": "stream/object",
	}
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		paths := strings.Fields(line)
		from := strings.TrimPrefix(strings.TrimPrefix(paths[0], module), "/")
		may, known := allowed[from]
		if !known {
			t.Errorf("package %s has no line in this test: say what it may import", from)
		}
		for _, path := range paths[1:] {
			to, ours := strings.CutPrefix(path, module+"/")
			if ours && !slices.Contains(strings.Fields(may), to) {
				t.Errorf("%s imports %s", from, to)
			}
		}
	}
}

// TestPropertiesHaveFixedSeeds keeps a fresh clone green: each package with property tests has one
// seed.
func TestPropertiesHaveFixedSeeds(t *testing.T) {
	out, err := exec.Command("go", "list", "-f",
		`{{.ImportPath}} {{join .TestImports " "}} {{join .XTestImports " "}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for line := range strings.Lines(string(out)) {
		paths := strings.Fields(line)
		if !slices.Contains(paths[1:], "pgregory.net/rapid") {
			continue
		}
		found++
		if !slices.Contains(paths[1:], module+"/internal/fixedseed") {
			t.Errorf("the tests of %s use rapid and do not import internal/fixedseed", paths[0])
		}
	}
	if found == 0 {
		t.Error("no package has property tests")
	}
}
