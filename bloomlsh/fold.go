package bloomlsh

import "errors"

// foldDue reports whether the log should be folded into new base files, and the disk has space for
// them. Once the log is a quarter as long as the filters, opening the index spends more time on the
// log than on the filters, and writing the filters costs at most four times what the log has cost.
func (s *Store) foldDue() bool {
	bytes := s.index.bytes()
	return s.log.At() > max(s.env.minLog, int64(bytes/4)) && s.checkSpace(bytes) == nil
}

// fold commits the state in memory by new files: a base file for each generation that has changed,
// and a log of nothing. The commit is the replacement of MANIFEST.
func (s *Store) fold(position Position) error {
	c := s.commitAt(s.index, position)
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
	log, err := s.createLog(fingerprint(next.parameters), series, c)
	if err != nil {
		return err
	}
	next.logLength = log.committed
	if err := s.keep(position); err != nil {
		log.file.Close()
		return err
	}
	if err := replaceManifest(s.files, next); err != nil {
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

// Compact folds the log of an index into its base files, so that it opens faster. It keeps what it
// takes to take runs back.
func Compact(dir string, u Undo) error { return compact(system, dir, u) }

func compact(env environment, dir string, u Undo) error {
	if _, err := readManifestIn(dir); err != nil {
		return err // before a LOCK is left in a directory that is no index
	}
	w, err := lockDir(env, dir)
	if err != nil {
		return err
	}
	s := newStore(w)
	s.undo = u
	s.memory, _ = env.memory.usable() // an index that was made with a limit may be larger
	if err := s.open(); err != nil {
		return errors.Join(err, s.release())
	}
	if err = s.checkSpace(s.index.bytes()); err == nil {
		err = s.fold(s.last.position)
	}
	return errors.Join(err, s.release())
}
