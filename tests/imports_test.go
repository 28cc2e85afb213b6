package tests

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
		"": "internal/command internal/limits",
		"bloomlsh": "" +
			"bloomlsh/lsh internal/framelog internal/index internal/offheap internal/parameter " +
			"internal/units internal/windowclock",
		"bloomlsh/lsh": "",
		"config": "" +
			"bloomlsh bloomlsh/lsh config/cmdline config/help config/values config/words " +
			"internal/charset internal/columns internal/layout internal/memory/counts " +
			"internal/memory/overlap internal/quality/eval internal/record internal/spec internal/urlkey " +
			"internal/usage sketch sketch/tlsh",
		"config/cmdline": "config/values internal/shown",
		"config/help":    "",
		"config/values":  "internal/spec",
		"config/words":   "internal/shown",
		"dedup": "" +
			"bloomlsh internal/journal internal/memory internal/method internal/method/filters " +
			"internal/method/identity internal/record internal/spec stream",
		"dedup/union": "",
		"internal/arrow": "" +
			"internal/columnar internal/columns internal/jsontext internal/jsonvalue internal/parquet " +
			"internal/record stream",
		"internal/boilerplate": "internal/memory/overlap internal/offheap internal/private internal/urlkey",
		"internal/buckettest":  "", // for tests
		"internal/bundle":      "",
		"internal/charset":     "",
		"internal/collector":   "",
		"internal/columnar":    "internal/jsontext internal/record stream",
		"internal/columns":     "internal/jsontext",
		"internal/command": "" +
			"bloomlsh bloomlsh/lsh config config/values internal/boilerplate internal/charset " +
			"internal/collector internal/command/files internal/command/formats internal/command/groups " +
			"internal/command/index internal/command/judge internal/command/run internal/compress " +
			"internal/jsonout internal/jsontext internal/kafka internal/layout internal/memory " +
			"internal/memory/kinds internal/memory/overlap internal/memory/signatures internal/method " +
			"internal/method/exact internal/method/filters internal/method/identity " +
			"internal/method/sketchers internal/object internal/private internal/quality/audit " +
			"internal/quality/eval internal/quality/pairs internal/quality/report internal/record " +
			"internal/shown internal/spec internal/units internal/usage sa/substr sketch sketch/markup " +
			"sketch/simhash stream",
		"internal/command/files": "" +
			"internal/bundle internal/charset internal/compress internal/object internal/private " +
			"internal/store internal/units internal/usage internal/written stream",
		"internal/command/formats": "" +
			"internal/arrow internal/bundle internal/columnar internal/columns internal/command/files " +
			"internal/compress internal/jsontext internal/layout internal/object internal/parquet " +
			"internal/record internal/sketchfile internal/textfield internal/usage internal/warc stream",
		"internal/command/formats/shards": "" +
			"internal/command/files internal/command/formats internal/compress internal/layout " +
			"internal/object internal/shown internal/store internal/usage stream",
		"internal/command/groups": "" +
			"bloomlsh config config/values internal/command/files internal/command/formats " +
			"internal/command/run internal/compress internal/index internal/jsonout internal/memory " +
			"internal/memory/counts internal/memory/days internal/memory/signatures internal/method " +
			"internal/method/exact internal/method/identity internal/method/sketchers internal/object " +
			"internal/quality/doubts internal/quality/report internal/shown internal/sketchfile " +
			"internal/timestamp internal/units internal/usage internal/written sketch stream",
		"internal/command/index": "" +
			"bloomlsh config internal/command/files internal/command/run internal/index " +
			"internal/indexbucket internal/journal internal/jsonout internal/kafka internal/memory/days " +
			"internal/memory/windows internal/method internal/method/exact internal/method/filters " +
			"internal/method/identity internal/shown internal/spec internal/units internal/usage stream",
		"internal/command/judge": "" +
			"config internal/command/files internal/command/run internal/jsonout internal/jsontext " +
			"internal/memory internal/memory/signatures internal/method internal/method/exact " +
			"internal/method/sketchers internal/record internal/shown internal/spec internal/usage " +
			"sketch stream",
		"internal/command/run": "" +
			"bloomlsh bloomlsh/lsh config internal/charset internal/command/files " +
			"internal/command/formats internal/command/formats/shards internal/compress internal/index " +
			"internal/indexbucket internal/journal internal/jsonout internal/jsontext internal/kafka " +
			"internal/layout internal/memory internal/memory/counts internal/memory/kinds " +
			"internal/memory/overlap internal/memory/windows internal/method internal/method/exact " +
			"internal/method/filters internal/method/identity internal/method/sketchers internal/object " +
			"internal/parameter internal/quality/audit internal/quality/doubts internal/quality/report " +
			"internal/record internal/shown internal/sketchfile internal/spec internal/units " +
			"internal/usage internal/written sa/substr sketch stream",
		"internal/compress":  "",
		"internal/fixedseed": "", // for tests
		"internal/framelog":  "",
		"internal/freeport":  "", // for tests and measurements
		"internal/hashset":   "",
		"internal/hftest":    "", // for tests
		"internal/index": "" +
			"internal/framelog internal/needsunix64 internal/offheap internal/parameter " +
			"internal/private internal/store internal/units",
		"internal/indexbucket": "internal/index internal/jsonout internal/object",
		"internal/indextest":   "internal/index internal/store internal/storetest", // for tests
		"internal/journal":     "internal/index internal/jsonout internal/record internal/written stream",
		"internal/jsonout":     "",
		"internal/jsontext":    "",
		"internal/jsonvalue":   "",
		"internal/kafka":       "bloomlsh internal/jsonout internal/record stream",
		"internal/kafkatest":   "internal/freeport", // for tests and measurements
		"internal/layout":      "internal/columns internal/compress internal/record",
		"internal/limits":      "",
		"internal/memory": "" +
			"dedup/union internal/framelog internal/jsontext internal/needsunix64 internal/offheap " +
			"internal/private stream",
		"internal/memory/counts": "internal/jsontext internal/memory internal/offheap internal/timestamp",
		"internal/memory/days":   "internal/framelog internal/index internal/jsonout internal/memory internal/written",
		"internal/memory/fingerprints": "" +
			"internal/framelog internal/memory internal/offheap sketch/simhash sketch/tlsh",
		"internal/memory/keytimes": "internal/framelog internal/memory internal/offheap",
		"internal/memory/kinds": "" +
			"dedup/union internal/jsonout internal/jsontext internal/memory " +
			"internal/memory/signatures stream",
		"internal/memory/overlap": "internal/hashset sketch stream",
		"internal/memory/prefixes": "" +
			"internal/framelog internal/memory internal/offheap internal/packedset internal/postings sketch",
		"internal/memory/samples": "" +
			"internal/framelog internal/memory internal/offheap internal/postings internal/spill " +
			"sketch/fracminhash",
		"internal/memory/signatures": "" +
			"dedup/union internal/framelog internal/memory internal/offheap internal/postings " +
			"internal/packedset internal/private internal/spill sketch",
		"internal/memory/vectors": "internal/framelog internal/memory sketch/embedding sketch/rows stream",
		"internal/memory/windows": "internal/framelog internal/index internal/memory internal/windowclock",
		"internal/memorytest": "" +
			"internal/memory internal/memory/fingerprints internal/memory/keytimes " +
			"internal/memory/prefixes internal/memory/samples internal/memory/signatures " +
			"internal/memory/vectors sketch sketch/fracminhash sketch/rows stream", // for tests
		"internal/method": "" +
			"bloomlsh bloomlsh/lsh internal/index internal/journal internal/jsonout internal/memory " +
			"internal/memory/fingerprints internal/memory/kinds internal/memory/overlap " +
			"internal/memory/prefixes internal/memory/samples internal/memory/signatures " +
			"internal/memory/vectors internal/memory/windows internal/method/exact " +
			"internal/method/filters internal/method/identity internal/method/sketchers " +
			"internal/parameter internal/record internal/spec internal/units internal/urlkey " +
			"internal/usage sketch sketch/embedding sketch/fracminhash sketch/onnx sketch/signature " +
			"sketch/simhash sketch/tlsh stream",
		"internal/method/exact": "" +
			"bloomlsh bloomlsh/lsh internal/index internal/jsonout internal/memory " +
			"internal/memory/counts internal/memory/fingerprints internal/memory/keytimes " +
			"internal/memory/prefixes internal/memory/samples internal/memory/signatures " +
			"internal/memory/vectors internal/memory/windows internal/method/filters " +
			"internal/method/identity internal/record internal/spec internal/units internal/usage sketch " +
			"stream",
		"internal/method/filters": "" +
			"bloomlsh internal/index internal/method/identity internal/spec internal/usage stream",
		"internal/method/identity": "" +
			"bloomlsh bloomlsh/lsh internal/index internal/memory/signatures internal/memory/vectors " +
			"internal/memory/windows internal/packedset internal/parameter internal/spec internal/usage " +
			"sketch sketch/embedding sketch/markup",
		"internal/method/sketchers": "" +
			"bloomlsh bloomlsh/lsh internal/compress internal/memory internal/memory/overlap " +
			"internal/memory/prefixes internal/memory/signatures internal/method/identity internal/packedset " +
			"internal/parameter internal/spec internal/urlkey sketch sketch/chinese " +
			"sketch/fracminhash sketch/markup sketch/simhash sketch/tlsh stream",
		"internal/needsunix64": "",
		"internal/object": "" +
			"internal/object/azure internal/object/gcs internal/object/hub internal/object/s3 " +
			"internal/object/store",
		"internal/object/azure": "internal/object/store",
		"internal/object/gcs":   "internal/object/store",
		"internal/object/hub":   "internal/object/store",
		"internal/object/s3":    "internal/object/store",
		"internal/object/store": "",
		"internal/offheap":      "",
		"internal/packedset":    "",
		"internal/parameter":    "",
		"internal/parquet": "" +
			"internal/columnar internal/columns internal/jsontext internal/jsonvalue internal/record stream",
		"internal/postings":       "internal/offheap",
		"internal/private":        "",
		"internal/quality/audit":  "internal/hashset",
		"internal/quality/doubts": "internal/units",
		"internal/quality/eval": "" +
			"bloomlsh bloomlsh/lsh internal/memory internal/memory/fingerprints internal/memory/overlap " +
			"internal/memory/samples internal/memory/signatures internal/memory/vectors " +
			"internal/quality/audit internal/quality/report internal/record internal/units sketch " +
			"sketch/fracminhash sketch/simhash sketch/tlsh stream",
		"internal/quality/pairs":  "internal/private",
		"internal/quality/report": "internal/units",
		"internal/record":         "internal/jsontext internal/timestamp",
		"internal/shown":          "",
		"internal/sketchfile":     "internal/parameter",
		"internal/spec": "" +
			"bloomlsh bloomlsh/lsh internal/memory/counts internal/memory/overlap internal/urlkey sketch",
		"internal/spill":       "internal/offheap internal/private",
		"internal/store":       "internal/private",
		"internal/storetest":   "internal/store", // for tests
		"internal/timestest":   "",               // for tests
		"internal/textfield":   "internal/jsontext",
		"internal/timestamp":   "",
		"internal/units":       "",
		"internal/urlkey":      "",
		"internal/usage":       "",
		"internal/warc":        "internal/compress internal/jsontext internal/record internal/timestamp stream",
		"internal/windowclock": "",
		"internal/written":     "",
		"sa":                   "",
		"sa/substr":            "internal/jsontext internal/private internal/store sa",
		"sketch":               "",
		"sketch/chinese":       "sketch",
		"sketch/embedding":     "",
		"sketch/fracminhash":   "internal/hashset sketch",
		"sketch/markup":        "",
		"sketch/onnx":          "sketch/embedding",
		"sketch/rows":          "",
		"sketch/signature":     "internal/parameter sketch sketch/embedding sketch/rows sketch/simhash sketch/tlsh",
		"sketch/simhash":       "internal/hashset internal/parameter sketch",
		"sketch/tlsh":          "sketch",
		"stream": "" +
			"internal/hashset internal/jsontext internal/needsunix64 internal/record internal/timestamp " +
			"stream/internal/known",
		"stream/internal/known": "internal/offheap",
		"tests":                 "", // the whole program
		"tests/chaos":           "", // a test: it runs the program
		"tests/compat":          "", // the same
		"tests/power":           "", // the same
		"tests/stats":           "", // the same
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
