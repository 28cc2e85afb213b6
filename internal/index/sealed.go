package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

const (
	sealedHolds = "sealed"
	// SealedHeader is the length of the header of a sealed file.
	SealedHeader = 4096
	// SealedOwn is the offset in that header of the section's own fields.
	SealedOwn  = 40
	extentSize = 1 << 20
)

// A SealedFile is a file that was written once and is open for reading. Its header and its table of
// checksums have been verified.
type SealedFile struct {
	Number int    // number in its name, from 1
	Header []byte // of length SealedHeader
	path   string
	file   extentFile
	size   int64  // of the whole file
	body   int64  // bytes between the header and the table
	table  []byte // one checksum for each extent of the body
	isHeld bool   // a section holds it and will close it
}

// Path returns the path of the file.
func (f *SealedFile) Path() string { return f.path }

// Bytes returns the length of the body in bytes.
func (f *SealedFile) Bytes() int64 { return f.body }

// Hold keeps the file open when the Snapshot is closed. The caller must close it.
func (f *SealedFile) Hold() { f.isHeld = true }

// Close closes the file.
func (f *SealedFile) Close() error { return f.file.Close() }

// ReadAt reads from an offset in the body. It does not verify checksums.
func (f *SealedFile) ReadAt(p []byte, offset int64) (int, error) {
	n, err := f.file.ReadAt(p, SealedHeader+offset)
	return n, unexpectedEnd(f.path, err)
}

func extents(size int64) int64 { return (size + extentSize - 1) / extentSize }

// writeSealed writes and flushes a sealed file and returns its seal. The section's own fields must
// be set in the header.
func writeSealed(files *store.Dir, name string, header, body []byte, print xxh3.Uint128) (seal uint64, err error) {
	copy(header, framelog.Named(sealedHolds))
	binary.LittleEndian.PutUint32(header[16:], formatVersion)
	binary.LittleEndian.PutUint64(header[24:], print.Hi)
	binary.LittleEndian.PutUint64(header[32:], print.Lo)
	err = files.Fill(name, func(f *store.File) error {
		if _, err := f.WriteAt(header, 0); err != nil {
			return err
		}
		sealed := bytes.Clone(header)
		for start := 0; start < len(body); start += extentSize {
			extent := body[start:min(start+extentSize, len(body))]
			if _, err := f.WriteAt(extent, SealedHeader+int64(start)); err != nil {
				return err
			}
			sealed = binary.LittleEndian.AppendUint64(sealed, xxh3.Hash(extent))
		}
		seal = xxh3.Hash(sealed)
		trailer := binary.LittleEndian.AppendUint64(sealed[SealedHeader:], seal)
		_, err := f.WriteAt(trailer, SealedHeader+int64(len(body)))
		return err
	})
	return seal, err
}

// openSealed opens a sealed file and verifies everything but the extents.
func openSealed(
	env Environment, files *store.Dir, base SealedName, number int, print xxh3.Uint128,
) (*SealedFile, error) {
	opened, err := env.openExtents(files, base.name)
	if err != nil {
		return nil, err
	}
	f := &SealedFile{Number: number, path: filepath.Join(files.Path(), base.name), file: opened}
	if err := f.check(base, print); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return f, nil
}

func (f *SealedFile) check(base SealedName, print xxh3.Uint128) (err error) {
	if f.size, err = f.file.Size(); err != nil {
		return err
	}
	if f.size < SealedHeader {
		return Corrupt(f.path, "it is only %d bytes long", f.size)
	}
	f.Header = make([]byte, SealedHeader)
	if _, err := f.file.ReadAt(f.Header, 0); err != nil {
		return unexpectedEnd(f.path, err)
	}
	le := binary.LittleEndian
	if !bytes.HasPrefix(f.Header, framelog.Named(sealedHolds)) {
		return Corrupt(f.path, "it does not begin as a base file")
	}
	if version := le.Uint32(f.Header[16:]); version != formatVersion {
		return fmt.Errorf("%s: %w", f.path, otherVersion(strconv.FormatUint(uint64(version), 10)))
	}
	rest := f.size - SealedHeader - 8
	f.body = rest - extents(rest)*8 // or slightly more if that means one extent less
	for f.body >= 0 && f.body+extents(f.body)*8 < rest {
		f.body++
	}
	if f.body < 0 || f.body+extents(f.body)*8 != rest {
		return Corrupt(f.path, "it is %d bytes long, which no base file is", f.size)
	}
	trailer := make([]byte, extents(f.body)*8+8)
	if _, err := f.file.ReadAt(trailer, SealedHeader+f.body); err != nil {
		return unexpectedEnd(f.path, err)
	}
	f.table = trailer[:len(trailer)-8]
	got := xxh3.Hash(append(bytes.Clone(f.Header), f.table...))
	if stored := le.Uint64(trailer[len(f.table):]); got != base.seal || stored != base.seal {
		return Corrupt(f.path,
			"its header or extent table has the seal %016x, the file says %016x, MANIFEST says %016x", got, stored,
			base.seal)
	}
	if le.Uint64(f.Header[24:]) != print.Hi || le.Uint64(f.Header[32:]) != print.Lo ||
		!strings.HasPrefix(base.name, fmt.Sprintf("base-%d-", f.Number)) {
		return Corrupt(f.path, "it is of another index or another generation")
	}
	return nil
}

// unexpectedEnd replaces an end-of-file error with ErrCorrupt: the file's length was checked, so it
// must have been truncated since.
func unexpectedEnd(path string, err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return Corrupt(path, "it ends too early")
	}
	return err
}

// openNamed opens a file named in MANIFEST.
func openNamed(files *store.Dir, name string, open func(string) (*store.File, error)) (*store.File, error) {
	f, err := open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Corrupt(filepath.Join(files.Path(), name), "it is named in MANIFEST and missing")
	}
	return f, err
}

// An extentFile is a sealed file that is open for reading.
type extentFile struct {
	*store.File
	direct *os.File // for reads past the page cache; nil if there are none
}

// openExtents opens a sealed file.
func (e Environment) openExtents(files *store.Dir, name string) (extentFile, error) {
	f, err := openNamed(files, name, files.Open)
	if err != nil {
		return extentFile{}, err
	}
	opened := extentFile{File: f}
	if info, err := f.Stat(); err == nil && info.Size() >= e.DirectFrom {
		opened.direct = openDirect(files, name)
	}
	return opened, nil
}

// ReadAt bypasses the page cache for data that is not in it. Where alignment or the file system
// prevents that, it reads normally.
func (f extentFile) ReadAt(p []byte, offset int64) (int, error) {
	if f.direct != nil && !cached(f.File.File, offset, int64(len(p))) {
		if n, err := f.direct.ReadAt(p, offset); err == nil {
			return n, nil
		}
	}
	return f.File.ReadAt(p, offset)
}

// Close closes the file.
func (f extentFile) Close() error {
	if f.direct != nil {
		f.direct.Close()
	}
	return f.File.Close()
}
