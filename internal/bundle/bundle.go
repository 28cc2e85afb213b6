// Package bundle lists the files in tar and zip archives, and reads them sequentially.
//
// A tar archive is a stream, so it is read twice: once to list it, which also verifies the
// checksums of the compression around it, and once for its members. A zip archive has a directory,
// and a checksum for each member.
package bundle

import (
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// Limits of an archive, to bound the memory for malicious ones. A compressed tar archive of a few
// kilobytes can contain any number of empty members.
const (
	mostMembers = 1 << 20
	longestName = 4096
)

// suffixes of archive names, in lower case.
var suffixes = []string{
	".tar", ".tar.gz", ".tgz", ".tar.zst", ".tzst", ".tar.bz2", ".tbz2", ".tbz", ".tar.xz", ".txz", ".zip",
}

// TrimSuffix returns the name of an archive without its suffix. For other names is is false.
func TrimSuffix(name string) (stem string, is bool) {
	lower := strings.ToLower(name)
	for _, suffix := range suffixes {
		if strings.HasSuffix(lower, suffix) && len(name) > len(suffix) {
			return name[:len(name)-len(suffix)], true
		}
	}
	return name, false
}

// A Member is a regular file in an archive.
type Member struct {
	Name     string // relative and clean, with slashes; unique in its archive
	Size     int64  // decompressed bytes
	Contents string // identifies its contents; empty if that requires reading it
	number   int    // among all entries of the archive
}

// An Archive lists members and opens them. It is safe for concurrent use.
type Archive struct {
	Members []Member
	Links   int // number of links, which have no contents
	open    func(m Member) (io.ReadCloser, error)
}

// Open opens a member of a.Members. Opening them in order reads the archive once.
func (a *Archive) Open(m Member) (io.ReadCloser, error) { return a.open(m) }

// add adds a regular file. Repeated names get a number, since each file has records of its own.
func (a *Archive) add(m Member, taken map[string]int) error {
	switch {
	case len(a.Members) == mostMembers:
		return fmt.Errorf("it has more than %d members: extract it, and name the directory", mostMembers)
	case len(m.Name) > longestName:
		return fmt.Errorf("the name of member %d has more than %d bytes: extract it, and name the directory",
			m.number+1, longestName)
	}
	m.Name = strings.TrimPrefix(path.Clean("/"+m.Name), "/")
	if m.Name == "" || strings.ContainsRune(m.Name, 0) {
		return fmt.Errorf("the name of member %d is not the name of a file", m.number+1)
	}
	taken[m.Name]++
	if n := taken[m.Name]; n > 1 {
		m.Name = fmt.Sprintf("%s#%d", m.Name, n)
	}
	a.Members = append(a.Members, m)
	return nil
}

// errChanged is returned if the archive was replaced after it was listed.
var errChanged = errors.New("the archive is not the one that was listed: it was changed meanwhile")
