package bloomlsh

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"
)

// life is what a small index goes through: creation, commits by frames and by folds, growth, late commits, reopening, compaction.
// It calls committed after each commit that has succeeded, and stops at the first error.
func life(env environment, committed func(x *Index, p Position)) error {
	stream, keys := &keyStream{9}, make([]Key, smallParams.Bands)
	records := uint64(0)
	for run, commits := range [][]int{{5, 0, 30}, {1, 300}, {40}} {
		s, err := openStore(env, "idx", smallParams, nil)
		if err != nil {
			return err
		}
		for _, n := range commits {
			for range n {
				records++
				stream.fill(keys)
				if _, err := s.Observe(keys); err != nil {
					return errors.Join(err, s.Close())
				}
			}
			position := Position{Records: records, Meta: []byte{byte(run)}}
			if err := s.Commit(position); err != nil {
				return errors.Join(err, s.Close())
			}
			committed(s.index, position)
		}
		stream.fill(keys)
		records++
		s.Observe(keys) // not to be committed
		if err := s.Close(); err != nil {
			return err
		}
	}
	return compact(env, "idx")
}

const lifeMinLog = 3000

// lifeStates are the digests of the index after each commit; the first is that of a new index.
func lifeStates(t *testing.T) (states []string) {
	x := mustNew(t, smallParams)
	states = []string{digest(x, Position{})}
	files := newMemFiles()
	if err := life(testEnvironment(files, lifeMinLog), func(x *Index, p Position) { states = append(states, digest(x, p)) }); err != nil {
		t.Fatal(err)
	}
	m, err := readManifest(files, "idx")
	if err != nil || len(m.bases) != 3 {
		t.Fatalf("the life leads to base files %v, %v", m, err)
	}
	return states
}

// reopened returns the state that an index is found in.
func reopened(files *memFiles) (string, error) {
	s, err := openStore(testEnvironment(files, 1<<30), "idx", smallParams, nil)
	if err != nil {
		return "", err
	}
	defer s.release()
	return digest(s.index, s.Committed()), nil
}

// Each operation on files fails in turn; the program gives up. The index is then found as the last commit that succeeded left it,
// or as the one that failed would have.
func TestEveryOperationFails(t *testing.T) {
	states := lifeStates(t)
	for n := 1; ; n++ {
		files := newMemFiles()
		files.failAt = n
		done := 0
		err := life(testEnvironment(files, lifeMinLog), func(*Index, Position) { done++ })
		if files.operations < n {
			break
		}
		files.failAt = 0
		clear(files.locked)
		state, openErr := reopened(files)
		if openErr != nil {
			t.Fatalf("operation %d failed (%v), then the index does not open: %v", n, err, openErr)
		}
		if !slices.Contains(states[done:min(done+2, len(states))], state) {
			t.Fatalf("operation %d failed (%v) after %d commits, then the index is found as\n%s", n, err, done, state)
		}
		if err != nil && !errors.Is(err, errInjected) {
			t.Fatalf("operation %d failed, reported is %v", n, err)
		}
	}
}

// The machine loses power at each operation in turn: names and sectors that were not flushed are there or not, at random.
func TestPowerLossAtEveryOperation(t *testing.T) {
	states := lifeStates(t)
	random := rand.New(rand.NewPCG(1, 2))
	tries := 20
	if hurried() {
		tries = 2
	}
	for n := 1; ; n++ {
		files := newMemFiles()
		files.failAt, files.dead = n, true
		done := 0
		life(testEnvironment(files, lifeMinLog), func(*Index, Position) { done++ })
		if files.operations < n {
			break
		}
		for range tries {
			after := files.afterCrash(random)
			state, err := reopened(after)
			if err != nil {
				t.Fatalf("power lost at operation %d, then the index does not open: %v", n, err)
			}
			if !slices.Contains(states[done:min(done+2, len(states))], state) {
				t.Fatalf("power lost at operation %d after %d commits, then the index is found as\n%s", n, done, state)
			}
		}
	}
}

// After a failed write nothing more is written, and nothing is retried.
func TestStoreStopsAfterFailure(t *testing.T) {
	files := newMemFiles()
	s, err := openStore(testEnvironment(files, 1<<30), "idx", smallParams, nil)
	if err != nil {
		t.Fatal(err)
	}
	keys := []Key{{Lo: 1}, {Lo: 2}}
	s.Observe(keys)
	files.failAt = files.operations + 2 // the flush of the log
	if err := s.Commit(Position{}); !errors.Is(err, errInjected) {
		t.Fatalf("commit: %v", err)
	}
	before := files.operations
	if err := s.Commit(Position{}); !errors.Is(err, errInjected) {
		t.Errorf("second commit: %v", err)
	}
	if _, err := s.Observe(keys); !errors.Is(err, errInjected) {
		t.Errorf("observe: %v", err)
	}
	if files.operations != before {
		t.Errorf("%d operations after the failure", files.operations-before)
	}
}

// smallIndex has base files and a log with three commits; end is how its program ends. The states are those of the commits in
// the log, from the one that the base files make.
func smallIndex(t *testing.T, end func(*Store) error) (files *memFiles, states []string) {
	files = newMemFiles()
	env := testEnvironment(files, 1<<30)
	fill(t, env, smallParams, 50, 1)
	if err := compact(env, "idx"); err != nil {
		t.Fatal(err)
	}
	s, err := openStore(env, "idx", smallParams, nil)
	if err != nil {
		t.Fatal(err)
	}
	states = append(states, digest(s.index, s.Committed()))
	stream, keys := &keyStream{1 << 40}, make([]Key, 2)
	for commit := range 3 {
		for range 4 {
			stream.fill(keys)
			s.Observe(keys)
		}
		if err := s.Commit(Position{Records: uint64(commit)}); err != nil {
			t.Fatal(err)
		}
		states = append(states, digest(s.index, s.Committed()))
	}
	if err := end(s); err != nil {
		t.Fatal(err)
	}
	return files, states
}

// A file that is whole, but of an index with other parameters, is refused.
func TestFilesOfAnotherIndex(t *testing.T) {
	files := newMemFiles()
	env := testEnvironment(files, 1<<30)
	for _, dir := range []string{"idx", "other"} {
		s, err := openStore(env, dir, smallParams, []Parameter{{"name", dir}})
		if err != nil {
			t.Fatal(err)
		}
		s.Observe([]Key{{Lo: 1}, {Lo: 2}})
		if err := errors.Join(s.Commit(Position{}), s.Close(), compact(env, dir)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"base-1-2", "log-2"} {
		mixed := files.clone()
		mixed.entries["idx/"+name] = mixed.entries["other/"+name]
		m, err := readManifest(mixed, "idx")
		if err != nil {
			t.Fatal(err)
		}
		base := mixed.entries["idx/base-1-2"].data
		m.bases[0].seal = leUint64(base[len(base)-8:])
		mixed.entries["idx/"+manifestName] = &inode{data: m.encode()}
		if _, err := verify(testEnvironment(mixed, 1<<30), "idx"); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "another") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// What does not count at the end of a log is cut off, durably, before anything is written after it: else it could count once the
// gap before it is filled.
func TestOpenCutsTheEnd(t *testing.T) {
	files, states := smallIndex(t, (*Store).release)
	log := files.entries["idx/log-2"]
	whole := len(log.data)
	log.data = append(log.data, "some bytes"...)
	log.synced = append([]byte{}, log.data...)
	state, err := reopened(files)
	if err != nil || state != states[len(states)-1] {
		t.Fatalf("found as %s, %v", state, err)
	}
	if len(log.data) != whole || len(log.synced) != whole {
		t.Errorf("the log has %d bytes, on disk %d, want %d", len(log.data), len(log.synced), whole)
	}
}

// Frames that are good but have not the number that is due: an older one does not count, a later one proves damage.
func TestFramesOutOfOrder(t *testing.T) {
	for step, want := range map[int]error{-1: nil, 0: nil, 2: ErrCorrupt} {
		files, states := smallIndex(t, (*Store).Close)
		log := files.entries["idx/log-2"]
		r := newLogReader(&memFile{files, log}, int64(len(log.data)))
		last, ok, _ := r.at(int64(len(log.data)) - frameOverhead - commitCounts*8)
		if !ok {
			t.Fatal("the log does not end with a commit")
		}
		start := len(log.data)
		log.data = appendCommit(beginFrame(log.data, kindCommit, last.number+uint64(step)), commit{observed: 1})
		log.data = endFrame(log.data, start, int64(start))
		state, err := reopened(files)
		if !errors.Is(err, want) || err == nil && state != states[len(states)-1] {
			t.Errorf("a commit %d after the last: %s, %v", step, state, err)
		}
	}
}

// Every byte of every file of a closed index is changed, and every file is cut at every length: all of it is refused, and the
// file is named. Only what is appended to the log is taken for the end of a killed program, and cut off.
func TestEveryByteOfAClosedIndex(t *testing.T) {
	files, states := smallIndex(t, (*Store).Close)
	last := states[len(states)-1:]
	random := rand.New(rand.NewPCG(3, 4))
	for _, path := range files.indexFiles("idx") {
		whole := files.entries[path].data
		for i := 0; i < len(whole); i += everyByte() {
			checkDamaged(t, files, path, fmt.Sprintf("cut at %d", i), whole[:i], nil)
			checkDamaged(t, files, path, fmt.Sprintf("byte %d changed", i), flip(whole, i, random), nil)
		}
		accepted := last
		if filepath.Base(path) != "log-2" {
			accepted = nil
		}
		checkDamaged(t, files, path, "a byte appended", append(whole[:len(whole):len(whole)], 0), accepted)
	}
}

// The same for the log of an index whose program was killed. A change is refused too, unless it is in the last commit: then the
// index is found at the one before. A log that was cut is found at the last commit that is left.
func TestEveryByteOfAKilledIndex(t *testing.T) {
	files, states := smallIndex(t, (*Store).release)
	random := rand.New(rand.NewPCG(5, 6))
	whole := files.entries["idx/log-2"].data
	var ends []int // of the commits
	r := newLogReader(&memFile{files, files.entries["idx/log-2"]}, int64(len(whole)))
	for offset := int64(logHeaderSize); offset < int64(len(whole)); {
		f, ok, err := r.at(offset)
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		offset = f.end()
		if f.kind == kindCommit {
			ends = append(ends, int(offset))
		}
	}
	for i := 0; i < len(whole); i += everyByte() {
		var cut []string
		for c, end := range ends {
			if end <= i {
				cut = states[c : c+1]
			}
		}
		checkDamaged(t, files, "idx/log-2", fmt.Sprintf("cut at %d", i), whole[:i], cut)
		var changed []string
		if i >= ends[len(ends)-2] {
			changed = states[len(states)-2:][:1]
		}
		checkDamaged(t, files, "idx/log-2", fmt.Sprintf("byte %d changed", i), flip(whole, i, random), changed)
	}
}

// hurried says that the long tests are to take samples.
func hurried() bool { return testing.Short() || underRaceDetector }

// everyByte is the step from byte to byte: 1, where time allows it.
func everyByte() int {
	if hurried() {
		return 31
	}
	return 1
}

func flip(whole []byte, i int, random *rand.Rand) []byte {
	flipped := append([]byte{}, whole...)
	flipped[i] ^= 1 << random.IntN(8)
	return flipped
}

// checkDamaged replaces a file. The index must then be in the accepted state, or if there is none, be refused by the file's name.
func checkDamaged(t *testing.T, files *memFiles, path, damage string, data []byte, accepted []string) {
	t.Helper()
	damaged := newMemFiles()
	for name, node := range files.entries {
		damaged.entries[name] = node
	}
	damaged.entries[path] = &inode{data: append([]byte{}, data...)}
	_, verifyErr := verify(testEnvironment(damaged, 1<<30), "idx")
	state, err := reopened(damaged)
	if (verifyErr == nil) != (err == nil) {
		t.Fatalf("%s, %s: opens with %v, verifies with %v", path, damage, err, verifyErr)
	}
	if accepted != nil {
		if err != nil || state != accepted[0] {
			t.Fatalf("%s, %s: the index is found as\n%s, %v, want\n%s", path, damage, state, err, accepted[0])
		}
		return
	}
	if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrVersion) {
		t.Fatalf("%s, %s: error %v, found as %s", path, damage, err, state)
	}
	if !strings.HasPrefix(err.Error(), path) {
		t.Fatalf("%s, %s: error %v does not name the file", path, damage, err)
	}
}

func FuzzManifest(f *testing.F) {
	m := &manifest{parameters: append(testIdentity, smallParams.parameters()...), bases: []baseRef{{"base-1-2", 5}}, log: "log-2", logLength: 152}
	f.Add(m.encode(), true)
	f.Add([]byte(manifestOpening), false)
	f.Fuzz(func(t *testing.T, text []byte, resum bool) {
		if resum { // let the fuzzer past the checksum
			text = append(text, fmt.Sprintf("checksum\t%016x\n", xxh3.Hash(text))...)
		}
		m, err := decodeManifest(text)
		if err == nil && string(m.encode()) != string(text) {
			t.Errorf("%q is read and written as %q", text, m.encode())
		}
	})
}

// fuzzedIndex is a valid index into which the fuzzer puts a file.
func fuzzedIndex(f *testing.F) (files *memFiles, base, log []byte) {
	files = newMemFiles()
	env := testEnvironment(files, 1<<30)
	s, err := openStore(env, "idx", smallParams, nil)
	if err != nil {
		f.Fatal(err)
	}
	s.Observe([]Key{{Lo: 1}, {Lo: 2}})
	if err := errors.Join(s.fold(Position{Records: 1}), s.Close()); err != nil {
		f.Fatal(err)
	}
	return files, files.entries["idx/base-1-2"].data, files.entries["idx/log-2"].data
}

func FuzzBase(f *testing.F) {
	files, base, _ := fuzzedIndex(f)
	f.Add(base[:128], base[len(base)-16:])
	parameters := smallParams.parameters()
	f.Fuzz(func(t *testing.T, start, end []byte) {
		damaged := files.clone()
		data := damaged.entries["idx/base-1-2"].data
		copy(data, start)
		copy(data[max(0, len(data)-len(end)):], end)
		// Its own seal, so that the fields behind it are reached.
		seal := uint64(0)
		if len(data) >= 8 {
			seal = leUint64(data[len(data)-8:])
		}
		b, err := openBase(damaged, "idx", baseRef{"base-1-2", seal}, 1, parameters, smallParams)
		if err != nil {
			return
		}
		verification{}.base(b)
	})
}

func FuzzLog(f *testing.F) {
	files, _, log := fuzzedIndex(f)
	f.Add(log[logHeaderSize:], uint32(kindKeys), make([]byte, 64), true)
	f.Add(log[logHeaderSize:], uint32(kindGeneration), appendGeneration(nil, 2, planGeneration(smallParams, 1)), true)
	f.Add(log[logHeaderSize:], uint32(kindCommit), appendCommit(nil, commit{observed: 1}), true)
	f.Fuzz(func(t *testing.T, frames []byte, kind uint32, payload []byte, commits bool) {
		damaged := files.clone()
		node := damaged.entries["idx/log-2"]
		data := append(append([]byte{}, node.data[:logHeaderSize]...), frames...)
		for len(data)%8 != 0 {
			data = append(data, 0)
		}
		// A frame whose checksum is right, so that its contents are reached.
		start := len(data)
		data = endFrame(append(beginFrame(data, kind, 3), payload...), start, int64(start))
		if commits {
			start = len(data)
			data = endFrame(appendCommit(beginFrame(data, kindCommit, 3), commit{}), start, int64(start))
		}
		node.data = data
		s, err := openStore(testEnvironment(damaged, 1<<30), "idx", smallParams, nil)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrVersion) {
				t.Fatal(err)
			}
			return
		}
		s.release()
	})
}

func leUint64(b []byte) (n uint64) {
	for i := range 8 {
		n |= uint64(b[i]) << (8 * i)
	}
	return n
}

// Indexes of every version of the format stay readable, and are written as ever. If this fails, the format has changed without
// a new version. MITHRIL_WRITE_FORMAT=1 writes the present version's directory.
func TestFormat(t *testing.T) {
	for _, filter := range []string{FilterPaged, FilterClassic} {
		dir := filepath.Join("..", "testdata", "format", fmt.Sprintf("v%d", formatVersion), filter)
		p := smallParams
		p.Filter = filter
		if os.Getenv("MITHRIL_WRITE_FORMAT") != "" {
			os.RemoveAll(dir)
			os.MkdirAll(filepath.Dir(dir), 0o777)
			writeFormat(t, dir, p)
		}
		again := filepath.Join(t.TempDir(), "idx")
		writeFormat(t, again, p)
		names, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range names {
			stored, _ := os.ReadFile(filepath.Join(dir, entry.Name()))
			written, err := os.ReadFile(filepath.Join(again, entry.Name()))
			if err != nil || string(stored) != string(written) {
				t.Errorf("%s: is written otherwise now (%v)", filepath.Join(dir, entry.Name()), err)
			}
		}
		checkFormat(t, dir, p)
	}
}

const formatRecords = 70

// writeFormat makes an index with everything in it: two generations in base files, a log with a commit and an uncommitted end.
func writeFormat(t *testing.T, dir string, p Params) {
	t.Helper()
	if filter := p.Filter; filter == FilterClassic {
		p.OnFull = OnFullRefuse // one generation: the classic filter is never small
		p.Capacity = formatRecords
	}
	s, err := Open(dir, p, testIdentity)
	if err != nil {
		t.Fatal(err)
	}
	stream, keys := &keyStream{1}, make([]Key, p.Bands)
	for i := range formatRecords {
		stream.fill(keys)
		if _, err := s.Observe(keys); err != nil {
			t.Fatal(err)
		}
		if i == formatRecords-10 && p.Filter == FilterPaged {
			if err := s.fold(Position{Records: uint64(i)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	err = s.Commit(Position{Records: formatRecords, InputBytes: 2, OutputBytes: 3, Meta: []byte("four")})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
}

func checkFormat(t *testing.T, dir string, p Params) {
	t.Helper()
	if _, err := Verify(dir); err != nil {
		t.Error(err)
	}
	r, err := OpenReadOnly(dir, p.Bands, testIdentity)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	stream, keys := &keyStream{1}, make([]Key, p.Bands)
	for i := range formatRecords + 1000 {
		stream.fill(keys)
		if got := r.Query(keys); got != (i < formatRecords) {
			t.Errorf("%s: record %d: %v", dir, i, got)
		}
	}
	if c := r.Committed(); c.Records != formatRecords || c.InputBytes != 2 || c.OutputBytes != 3 || string(c.Meta) != "four" {
		t.Errorf("%s: position %+v", dir, c)
	}
}
