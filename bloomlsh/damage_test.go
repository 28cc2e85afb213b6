package bloomlsh

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/store"
	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

// smallIndex returns an index with base files and a log with three commits, after its program has
// ended by calling end. states are digests of the index, first as of its base files and then after
// each commit in the log.
func smallIndex(t *testing.T, end func(*Store) error) (files *storetest.Machine, states []string) {
	files = storetest.New(t)
	env := testEnvironment(1 << 30)
	fill(t, env, files, smallParams, 50, 1)
	if err := compact(env, files.Path("idx"), index.Undo{}); err != nil {
		t.Fatal(err)
	}
	s, err := openStore(env, files.Path("idx"), smallParams, nil)
	if err != nil {
		t.Fatal(err)
	}
	states = append(states, digest(s.index, s.Committed()))
	stream, keys := &keyStream{1 << 40}, make([]Key, 2)
	for commit := range 3 {
		for range 4 {
			stream.fill(keys)
			observeRecord(s, keys)
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

// TestFilesOfAnotherIndex checks that an intact file from an index with other parameters is
// rejected.
func TestFilesOfAnotherIndex(t *testing.T) {
	files := storetest.New(t)
	env := testEnvironment(1 << 30)
	for _, dir := range []string{"idx", "other"} {
		path := files.Path(dir)
		s, err := openStore(env, path, smallParams, []Parameter{{Name: "name", Value: dir}})
		if err != nil {
			t.Fatal(err)
		}
		observeRecord(s, []Key{{Lo: 1}, {Lo: 2}})
		if err := errors.Join(s.Commit(Position{}), s.Close(), compact(env, path, index.Undo{})); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"base-1-2", "log-2"} {
		mixed := files.Clone()
		mixed.Write("idx/"+name, mixed.Read("other/"+name))
		base, lines := mixed.Read("idx/base-1-2"), manifestLines(mixed)
		for i, line := range lines {
			if strings.HasPrefix(line, "base\t") {
				lines[i] = fmt.Sprintf("base\tbase-1-2\t%016x\n", leUint64(base[len(base)-8:]))
			}
		}
		writeManifest(mixed, lines)
		if err := verify(testEnvironment(1<<30), mixed.Path("idx")); !errors.Is(err, ErrCorrupt) ||
			!strings.Contains(err.Error(), "another") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestOpenCutsTheEnd checks that uncommitted data at the end of a log is cut off durably before
// anything is written after it. Otherwise it could count once the gap before it is filled.
func TestOpenCutsTheEnd(t *testing.T) {
	files, states := smallIndex(t, (*Store).Abandon)
	whole := files.Read("idx/log-2")
	files.Write("idx/log-2", append(bytes.Clone(whole), "some bytes"...))
	state, err := reopened(files, smallParams)
	if err != nil || state != states[len(states)-1] {
		t.Fatalf("found as %s, %v", state, err)
	}
	log, lasting := files.Read("idx/log-2"), files.Lasting("idx/log-2")
	if !bytes.Equal(log, whole) || !bytes.Equal(lasting, whole) {
		t.Errorf("the log has %d bytes, on disk %d, want %d", len(log), len(lasting), len(whole))
	}
}

// TestFramesOutOfOrder writes intact frames with unexpected numbers: one with an older number is
// ignored, and one with a later number proves damage.
func TestFramesOutOfOrder(t *testing.T) {
	for step, want := range map[int]error{-1: nil, 0: nil, 2: ErrCorrupt} {
		files, states := smallIndex(t, (*Store).Close)
		log := files.Read("idx/log-2")
		r := framelog.NewReader(bytes.NewReader(log), int64(len(log)))
		last, err := r.At(framelog.HeaderBytes)
		for err == nil && last.End < int64(len(log)) {
			last, err = r.At(last.End)
		}
		if err != nil || last.Kind != framelog.Commit {
			t.Fatal("the log does not end with a commit")
		}
		number := last.Number + uint64(step)
		files.Write("idx/log-2", appendFrame(log, framelog.Commit, number, last.Payload))
		state, err := reopened(files, smallParams)
		if !errors.Is(err, want) || err == nil && state != states[len(states)-1] {
			t.Errorf("a commit %d after the last: %s, %v", step, state, err)
		}
	}
}

// TestEveryByteOfAClosedIndex changes every byte of every file of a closed index, and truncates
// every file to every length, but for bytes of base files that are checked alike. All of that must
// be rejected with the name of the file. Data appended to the log is cut off, and only reported by
// verify.
func TestEveryByteOfAClosedIndex(t *testing.T) {
	files, states := smallIndex(t, (*Store).Close)
	last := states[len(states)-1:]
	random := rand.New(rand.NewPCG(3, 4))
	damaged := storetest.New(t)
	for _, name := range files.Names("idx") {
		if name == "LOCK" {
			continue
		}
		path := "idx/" + name
		whole := files.Read(path)
		image := files.All()
		for i := 0; i < len(whole); i += everyByte() {
			if strings.HasPrefix(name, "base-") && !hurried() && checkedAlike(i, len(whole)) {
				continue
			}
			checkDamaged(t, damaged, image, path, fmt.Sprintf("cut at %d", i), whole[:i], nil)
			checkDamaged(t, damaged, image, path, fmt.Sprintf("byte %d changed", i), flip(whole, i, random), nil)
		}
		appended := append(whole[:len(whole):len(whole)], 0)
		if name != "log-2" {
			checkDamaged(t, damaged, files.All(), path, "a byte appended", appended, nil)
			continue
		}
		damaged.Restore(storetest.With(files.All(), path, appended))
		if state, err := reopened(damaged, smallParams); err != nil || state != last[0] {
			t.Errorf("a byte appended: the index is found as\n%s, %v, want\n%s", state, err, last[0])
		}
	}
}

// TestVerifyNamesWhatNoRunHasWritten checks that verify reports data after the last commit of an
// index whose program ended cleanly, unless a killed program from before the marker file existed
// could have left it. After a power failure anything may be there.
func TestVerifyNamesWhatNoRunHasWritten(t *testing.T) {
	files, _ := smallIndex(t, (*Store).Close)
	d, err := describe(testEnvironment(1<<30), files.Path("idx"))
	if err != nil {
		t.Fatal(err)
	}
	begin := func(number uint64) []byte { return framelog.AppendFrame(nil, 0, framelog.Entries, number, nil)[:24] }
	frame := begin(d.Last.Number + 1)
	for _, c := range []struct {
		appended string
		named    bool
	}{
		{"\x00", true}, {strings.Repeat("\x00", 4096), true}, {"some bytes", true}, {"fram\x09\x00", true},
		{string(begin(d.Last.Number)), true}, {"", false}, {"fr", false}, {string(frame[:9]), false},
		{string(frame) + "keys", false},
		{string(framelog.AppendFrame(nil, 0, framelog.Entries, d.Last.Number+1, nil)), true},
	} {
		for name, end := range map[string]func(*Store) error{"closed": (*Store).Close, "killed": (*Store).Abandon} {
			files, states := smallIndex(t, end)
			log := files.Read("idx/log-2")
			place := fmt.Sprintf("%s:%d: %d bytes", files.Path("idx/log-2"), len(log), len(c.appended))
			files.Write("idx/log-2", append(log, c.appended...))
			err := verify(testEnvironment(1<<30), files.Path("idx"))
			if want := c.named && name == "closed"; want != errors.Is(err, ErrCorrupt) {
				t.Errorf("%q after a %s index: %v", c.appended, name, err)
			} else if want && !strings.HasPrefix(err.Error(), place) {
				t.Errorf("%v does not begin with %s", err, place)
			}
			if state, err := reopened(files, smallParams); err != nil || state != states[len(states)-1] {
				t.Errorf("%q after a %s index: found as %s, %v", c.appended, name, state, err)
			}
			if err := verify(testEnvironment(1<<30), files.Path("idx")); err != nil {
				t.Errorf("%q, after the next run: %v", c.appended, err)
			}
		}
	}
}

// TestCloseCutsTheEnd checks that Close cuts off uncommitted data.
func TestCloseCutsTheEnd(t *testing.T) {
	files, _ := smallIndex(t, func(s *Store) error {
		path := filepath.Join(s.Path(), "log-2")
		length := fileLength(t, path)
		keys := make([]Key, 2)
		for stream := (&keyStream{1 << 50}); fileLength(t, path) == length; {
			stream.fill(keys)
			observeRecord(s, keys)
		}
		file, err := store.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		return errors.Join(file.Sync(), file.Close(), s.Close()) // the system may write it to disk at any time
	})
	log, lasting := files.Read("idx/log-2"), files.Lasting("idx/log-2")
	d, err := describe(testEnvironment(1<<30), files.Path("idx"))
	if err != nil || d.Uncommitted != 0 || !d.Ended || !bytes.Equal(log, lasting) {
		t.Errorf("%+v, %v, of %d bytes %d on disk", d, err, len(log), len(lasting))
	}
}

// TestEveryByteOfAKilledIndex does the same to the log of an index whose program was killed.
// Changes must be rejected, except those in the last commit, after which the index is in the state
// of the one before. A truncated log yields the state of the last remaining commit.
func TestEveryByteOfAKilledIndex(t *testing.T) {
	files, states := smallIndex(t, (*Store).Abandon)
	random := rand.New(rand.NewPCG(5, 6))
	whole := files.Read("idx/log-2")
	var ends []int // ends of the commits
	damaged, r := storetest.New(t), framelog.NewReader(bytes.NewReader(whole), int64(len(whole)))
	for offset := int64(framelog.HeaderBytes); offset < int64(len(whole)); {
		f, err := r.At(offset)
		if err != nil {
			t.Fatal(err)
		}
		offset = f.End
		if f.Kind == framelog.Commit {
			ends = append(ends, int(offset))
		}
	}
	image := files.All()
	for i := 0; i < len(whole); i += everyByte() {
		var cut []string
		for c, end := range ends {
			if end <= i {
				cut = states[c : c+1]
			}
		}
		checkDamaged(t, damaged, image, "idx/log-2", fmt.Sprintf("cut at %d", i), whole[:i], cut)
		var changed []string
		if i >= ends[len(ends)-2] {
			changed = states[len(states)-2:][:1]
		}
		checkDamaged(t, damaged, image, "idx/log-2", fmt.Sprintf("byte %d changed", i), flip(whole, i, random),
			changed)
	}
}

// checkedAlike reports whether a byte of a base file is checked like the others that it is among:
// the zeros that fill up its header, and the words of its filters, of which one hash is taken. It
// is not one of every seventh, which are in all places of words, nor next to where these begin or
// end.
func checkedAlike(i, length int) bool {
	header := int(index.SealedHeader)
	return i%7 > 0 && (i > 256 && i < header-64 || i > header+64 && i < length-128)
}

// hurried reports whether long tests should only take samples.
func hurried() bool { return testing.Short() || underRaceDetector }

// everyByte returns the step between tested bytes: 1 if there is time.
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

// checkDamaged replaces a file of an image. Afterwards the index must be in the accepted state or,
// if that is empty, be rejected with the name of the file.
func checkDamaged(
	t *testing.T, damaged *storetest.Machine, image []storetest.Entry, path, damage string, data []byte,
	accepted []string,
) {
	t.Helper()
	damaged.Restore(storetest.With(image, path, data))
	verifyErr := verify(testEnvironment(1<<30), damaged.Path("idx"))
	state, err := reopened(damaged, smallParams)
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
	if !strings.HasPrefix(err.Error(), damaged.Path(path)) {
		t.Fatalf("%s, %s: error %v does not name the file", path, damage, err)
	}
}

// TestManyBeginningsOfFrames checks that a log that ends in the headers of many long frames does
// not take seconds per MB. It is rejected, since no crash causes that.
func TestManyBeginningsOfFrames(t *testing.T) {
	files, _ := smallIndex(t, (*Store).Abandon)
	log := files.Read("idx/log-2")
	begin := framelog.AppendFrame(nil, 0, framelog.Entries, 1<<40, nil)[:24]
	binary.LittleEndian.PutUint32(begin[16:], index.MostFrame)
	size := len(log)
	for range 4 << 20 / len(begin) {
		log = append(log, begin...)
	}
	log = append(log, make([]byte, 2*index.MostFrame)...)
	hashed := &countedFile{ReaderAt: bytes.NewReader(log)}
	err := framelog.NewReader(hashed, int64(len(log))).CheckLost(int64(size), 1)
	if err == nil || !strings.Contains(err.Error(), "more beginnings of frames than a crash leaves") {
		t.Errorf("got error %v", err)
	}
	if hashed.read > 64<<20 {
		t.Errorf("%d bytes were read", hashed.read)
	}
}

type countedFile struct {
	io.ReaderAt
	read int
}

func (c *countedFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, at)
	c.read += n
	return n, err
}
