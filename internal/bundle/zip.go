package bundle

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// IsZip reports whether head begins a zip archive, which includes office documents and Java
// archives.
func IsZip(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06"))
}

// isEncrypted is the flag of an encrypted member.
const isEncrypted = 1

// Zip lists a zip archive, which open opens.
func Zip(open func() (*os.File, error)) (*Archive, error) {
	in, done, err := openZip(open)
	if err != nil {
		return nil, err
	}
	defer done.Close()
	a, taken := &Archive{}, map[string]int{}
	for number, f := range in.File {
		if !f.Mode().IsRegular() {
			if f.Mode().Type() != 0 && !f.Mode().IsDir() {
				a.Links++
			}
			continue
		}
		contents := fmt.Sprintf("zip %d %08x", f.UncompressedSize64, f.CRC32)
		m := Member{Name: f.Name, Size: int64(f.UncompressedSize64), Contents: contents, number: number}
		if err := a.add(m, taken); err != nil {
			return nil, err
		}
	}
	a.open = func(m Member) (io.ReadCloser, error) { return openZipped(open, m) }
	return a, nil
}

func openZip(open func() (*os.File, error)) (in *zip.Reader, done io.Closer, err error) {
	file, err := open()
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil {
		in, err = zip.NewReader(file, info.Size())
	}
	if errors.Is(err, zip.ErrInsecurePath) { // nothing is written under that name
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("it cannot be read as a zip archive: %w; nothing of it is read: get it again, or extract "+
			"what can be, and name the files", err)
		return nil, nil, errors.Join(err, file.Close())
	}
	return in, file, nil
}

// openZipped opens a member.
func openZipped(open func() (*os.File, error), m Member) (io.ReadCloser, error) {
	in, done, err := openZip(open)
	if err != nil {
		return nil, err
	}
	var r io.ReadCloser
	switch {
	case m.number >= len(in.File) || int64(in.File[m.number].UncompressedSize64) != m.Size:
		err = errChanged
	case in.File[m.number].Flags&isEncrypted != 0:
		err = errors.New("it is encrypted: extract it with its password, and name the file")
	default:
		r, err = in.File[m.number].Open()
	}
	if errors.Is(err, zip.ErrAlgorithm) {
		err = fmt.Errorf("it is compressed by method %d of zip, which is not read: extract it, and name the file",
			in.File[m.number].Method)
	}
	if err != nil {
		return nil, errors.Join(err, done.Close())
	}
	return &zipMember{r, done}, nil
}

// A zipMember reads a member, and closes the archive with it.
type zipMember struct {
	io.ReadCloser
	done io.Closer
}

func (m *zipMember) Close() error { return errors.Join(m.ReadCloser.Close(), m.done.Close()) }
