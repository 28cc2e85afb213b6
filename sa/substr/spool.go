package substr

import (
	"bufio"
	"fmt"
	"os"
	"sort"

	"github.com/mithril-stream/mithril-stream/internal/private"
)

// spool keeps the texts, one after the other, in an unnamed temporary file, which vanishes with the
// process. It is mapped into memory, and resident only as far as the system can spare memory.
type spool struct {
	file *os.File
	out  *bufio.Writer
	text []byte // the mapped file, once sealed
	ends []int  // where each text ends
}

func newSpool(dir string) (*spool, error) {
	file, err := private.Unnamed(dir)
	if err != nil {
		return nil, err
	}
	return &spool{file: file, out: bufio.NewWriterSize(file, 1<<20)}, nil
}

func (s *spool) add(text []byte) error {
	if _, err := s.out.Write(text); err != nil {
		return fmt.Errorf("temporary file for text: %w", err)
	}
	s.ends = append(s.ends, s.size()+len(text))
	return nil
}

func (s *spool) size() int {
	if len(s.ends) == 0 {
		return 0
	}
	return s.ends[len(s.ends)-1]
}

// seal ends writing and maps what was written.
func (s *spool) seal() error {
	if err := s.out.Flush(); err != nil {
		return fmt.Errorf("temporary file for text: %w", err)
	}
	var err error
	s.text, err = mapFile(s.file, s.size(), false)
	return err
}

// bounds returns where text i begins and ends.
func (s *spool) bounds(i int) (start, end int) {
	if i > 0 {
		start = s.ends[i-1]
	}
	return start, s.ends[i]
}

// at returns the number of the text that holds position p.
func (s *spool) at(p int) int { return sort.SearchInts(s.ends, p+1) }

func (s *spool) close() error {
	unmap(s.text)
	s.text = nil
	return s.file.Close()
}
