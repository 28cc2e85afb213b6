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
		"": "command internal/addresses internal/descriptors",
		"bloomlsh": "internal/needsunix64 internal/offheap internal/parameter internal/private internal/units " +
			"internal/windowclock store",
		"command": "bloomlsh command/files command/formats command/groups command/index command/judge " +
			"command/run config internal/charset internal/private internal/shown internal/units internal/usage " +
			"memory memory/kinds memory/overlap memory/signatures method quality/audit quality/eval quality/pairs " +
			"quality/report sa/substr sketch sketch/markup sketch/simhash stream stream/compress " +
			"stream/kafka stream/object",
		"command/files": "internal/bundle internal/charset internal/private internal/units internal/usage store " +
			"stream stream/compress stream/object",
		"command/formats": "command/files internal/bundle internal/columns internal/textfield internal/usage " +
			"stream stream/arrow stream/columnar stream/compress stream/object stream/parquet " +
			"stream/warc",
		"command/formats/shards": "command/files command/formats internal/shown internal/usage store stream " +
			"stream/compress stream/object",
		"command/groups": "bloomlsh command/files command/formats command/run config internal/shown " +
			"internal/units internal/usage memory memory/counts memory/days memory/signatures method " +
			"quality/report sketch stream stream/compress stream/object stream/sketchfile",
		"command/index": "bloomlsh command/files command/run config internal/indexbucket " +
			"internal/journal internal/shown internal/units internal/usage memory/days " +
			"memory/windows method store stream stream/kafka",
		"command/judge": "command/files command/run config internal/usage memory memory/windows method " +
			"sketch stream",
		"command/run": "bloomlsh command/files command/formats command/formats/shards config " +
			"internal/charset internal/indexbucket internal/journal internal/shown internal/units internal/usage " +
			"memory memory/counts memory/days memory/kinds memory/overlap memory/windows method quality/audit " +
			"quality/doubts quality/report sa/substr sketch stream stream/compress stream/kafka stream/object " +
			"stream/sketchfile",
		"config": "bloomlsh command/formats command/formats/shards config/help " +
			"internal/charset internal/columns internal/shown internal/usage memory/counts memory/overlap " +
			"quality/eval sketch sketch/tlsh",
		"config/help":          "",
		"dedup":                "bloomlsh memory memory/signatures sketch stream",
		"internal/addresses":   "",
		"internal/bundle":      "",
		"internal/charset":     "",
		"internal/columns":     "stream",
		"internal/descriptors": "",
		"internal/fixedseed":   "", // for tests
		"internal/framelog":    "",
		"internal/hashset":     "",
		"internal/hftest":      "", // for tests
		"internal/indexbucket": "stream/object",
		"internal/journal":     "store stream",
		"internal/jsonvalue":   "",
		"internal/kafkatest":   "", // for tests and measurements
		"internal/memorytest": "memory memory/fingerprints memory/samples memory/signatures memory/vectors sketch " +
			"sketch/fracminhash sketch/rows stream", // for tests
		"internal/needsunix64": "",
		"internal/offheap":     "",
		"internal/parameter":   "",
		"internal/postings":    "internal/offheap",
		"internal/private":     "",
		"internal/buckettest":  "", // for tests
		"internal/shown":       "",
		"internal/spill":       "internal/offheap internal/private",
		"internal/textfield":   "stream",
		"internal/units":       "",
		"internal/usage":       "",
		"internal/windowclock": "",
		"memory": "internal/framelog internal/needsunix64 internal/offheap internal/private " +
			"memory/union stream",
		"memory/counts": "internal/offheap memory stream",
		"memory/days":   "internal/framelog memory store",
		"memory/fingerprints": "internal/framelog internal/offheap memory sketch/simhash " +
			"sketch/tlsh",
		"memory/kinds":   "memory memory/signatures memory/union stream",
		"memory/overlap": "internal/hashset sketch stream",
		"memory/samples": "internal/framelog internal/offheap internal/postings internal/spill memory " +
			"sketch/fracminhash",
		"memory/signatures": "internal/framelog internal/offheap internal/postings internal/spill " +
			"internal/private memory memory/union sketch",
		"memory/union":   "",
		"memory/vectors": "internal/framelog memory sketch/embedding sketch/rows stream",
		"memory/windows": "internal/framelog internal/windowclock memory store",
		"method": "bloomlsh command/files config internal/parameter " +
			"internal/private internal/units internal/usage memory memory/counts " +
			"memory/fingerprints memory/kinds memory/overlap memory/samples memory/signatures " +
			"memory/vectors memory/windows sketch sketch/chinese sketch/embedding sketch/fracminhash sketch/markup " +
			"sketch/onnx sketch/signature sketch/simhash sketch/tlsh store stream stream/compress " +
			"stream/kafka",
		"quality/audit": "",
		"quality/eval": "bloomlsh internal/units memory memory/fingerprints memory/overlap " +
			"memory/samples memory/signatures memory/vectors quality/audit quality/report sketch " +
			"sketch/fracminhash sketch/simhash sketch/tlsh stream",
		"quality/pairs":      "internal/private",
		"quality/doubts":     "internal/units",
		"quality/report":     "internal/units",
		"sa":                 "",
		"sa/substr":          "internal/private sa store",
		"sketch":             "",
		"sketch/chinese":     "sketch",
		"sketch/embedding":   "",
		"sketch/fracminhash": "internal/hashset sketch",
		"sketch/markup":      "",
		"sketch/onnx":        "sketch/embedding",
		"sketch/rows":        "",
		"sketch/signature": "internal/parameter sketch sketch/embedding sketch/rows sketch/simhash " +
			"sketch/tlsh",
		"sketch/simhash":  "internal/hashset internal/parameter sketch",
		"sketch/tlsh":     "sketch",
		"store":           "internal/private",
		"stream":          "internal/needsunix64 internal/offheap",
		"stream/arrow":    "internal/jsonvalue stream stream/columnar stream/parquet",
		"stream/columnar": "stream",
		"stream/compress": "",
		"stream/kafka":    "bloomlsh stream",
		"stream/object": "stream/object/azure stream/object/gcs stream/object/hub stream/object/s3 " +
			"stream/object/store",
		"stream/object/azure": "stream/object/store",
		"stream/object/gcs":   "stream/object/store",
		"stream/object/hub":   "stream/object/store",
		"stream/object/s3":    "stream/object/store",
		"stream/object/store": "",
		"stream/parquet":      "internal/jsonvalue stream stream/columnar",
		"stream/sketchfile":   "internal/parameter",
		"stream/warc":         "stream stream/compress",
		"tests":               "", // the whole program
		"tests/chaos":         "", // a test: it runs the program
		"tests/compat":        "", // the same
		"tests/power":         "", // the same
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
