package bloomlsh

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/internal/units"
)

// foldLength is the length beyond which a log is folded into new base files: then opening the index
// would spend more time on the log than on the filters, and writing the filters costs no more than
// four times what the log has cost.
func (s *Store) foldLength() int64 {
	return max(s.env.minLog, int64(s.index.bytes()/4))
}

// roomForFold returns an error if the disk cannot take the filters once more, or cannot tell.
func (s *Store) roomForFold() error {
	free, err := s.env.files.Free(s.dir)
	if need := s.index.bytes() + s.index.bytes()/16; err == nil && free < need {
		err = fmt.Errorf("%s: there is no room on the disk to write the filters again: %s are needed, %s are free",
			s.dir, units.Bytes(need), units.Bytes(free))
	}
	return err
}

func (x *Index) bytes() (n uint64) {
	for _, g := range x.generations {
		n += g.bytes()
	}
	return n
}

// storedBytes is how many of the bytes are on disk alone.
func (x *Index) storedBytes() (n uint64) {
	for _, g := range x.generations {
		if g.stored != nil {
			n += g.bytes()
		}
	}
	return n
}

// spill writes a generation to the base file that the next fold will name. As long as MANIFEST does
// not name it, it does not count.
func (s *Store) spill(number int, g *generation) (*baseFile, error) {
	stored, ok := s.stored[number]
	if !ok || stored.inserted != g.inserted {
		series, err := s.nextSeries()
		if err != nil {
			return nil, err
		}
		ref, err := s.writeGeneration(number, series, g)
		if err != nil {
			return nil, err
		}
		stored = storedBase{ref, g.inserted}
		s.stored[number] = stored
	}
	path := filepath.Join(s.dir, stored.ref.name)
	file, err := s.env.files.Open(path, false)
	if err != nil {
		return nil, err
	}
	return &baseFile{baseHeader: baseHeader{generation: number, inserted: g.inserted, geometry: g.geometry}, path: path,
		file: file}, nil
}

// fold commits the state in memory by new files: a base file for each generation that has changed,
// and a log of nothing. The commit is the replacement of MANIFEST.
func (s *Store) fold(position Position) error {
	c := s.commitAt(position)
	series, err := s.nextSeries()
	if err != nil {
		return err
	}
	next := &manifest{parameters: s.manifest.parameters, log: logName(series)}
	stored, logged := map[int]storedBase{}, 0
	for i, g := range s.index.generations {
		if c.observed == 0 {
			break // a new index: nothing to store
		}
		logged = s.index.number(i)
		base, ok := s.stored[logged]
		if !ok || base.inserted != g.inserted {
			ref, err := s.writeGeneration(logged, series, g)
			if err != nil {
				return err
			}
			base = storedBase{ref, g.inserted}
		}
		next.bases = append(next.bases, base.ref)
		stored[logged] = base
	}
	log, err := createLog(s.env, filepath.Join(s.dir, next.log), fingerprint(next.parameters), series, c)
	if err != nil {
		return err
	}
	next.logLength = log.committed
	if err := s.keep(position); err != nil {
		log.file.Close()
		return err
	}
	if err := replaceManifest(s.env.files, s.dir, next); err != nil {
		log.file.Close()
		return err
	}
	if s.log != nil {
		s.log.file.Close() // nothing of it is needed any more
	}
	s.manifest, s.series, s.stored = next, series, stored
	s.log, s.last, s.dropped, s.logged = log, c, false, logged
	s.forgetKept(position)
	s.removeLeftovers()
	return nil
}

// A storedBase is a base file, and the records in it.
type storedBase struct {
	ref      baseRef
	inserted uint64
}

func (s *Store) writeGeneration(number int, series uint64, g *generation) (baseRef, error) {
	g.leaveFirst()
	h := baseHeader{fingerprint: fingerprint(s.manifest.parameters), generation: number, inserted: g.inserted,
		geometry: g.geometry}
	name := baseName(number, series)
	seal, err := writeBase(s.env.files, filepath.Join(s.dir, name), h, g.words)
	return baseRef{name, seal}, err
}

// Compact folds the log of an index into its base files, so that it opens faster. It keeps what it
// takes to take runs back.
func Compact(dir string, u Undo) error { return compact(system, dir, u) }

func compact(env environment, dir string, u Undo) error {
	if _, err := readManifest(env.files, dir); err != nil {
		return err // before a LOCK is left in a directory that is no index
	}
	s, err := lockStore(env, dir)
	if err != nil {
		return err
	}
	s.undo = u
	s.memory, _ = env.memory.usable() // an index that was made with a limit may be larger
	if err := s.open(); err != nil {
		return errors.Join(err, s.release())
	}
	if err = s.roomForFold(); err == nil {
		err = s.fold(s.last.position)
	}
	return errors.Join(err, s.release())
}
