package signature

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/sketch/rows"
)

// A Kind is the meaning of a signature's words.
type Kind uint16

// The kinds. Their numbers are part of the binary form.
const (
	MinHash   Kind = 1 // slots of 8 bits, eight in a word
	SimHash   Kind = 2 // 64 bits a word
	TLSH      Kind = 3 // a digest, as accepted by tlsh.FromWords
	Embedding Kind = 4 // a row of package rows: a byte for each dimension
)

var kindNames = map[Kind]string{MinHash: "minhash", SimHash: "simhash", TLSH: "tlsh", Embedding: "embedding"}

// String returns the name of the kind.
func (k Kind) String() string {
	if name, ok := kindNames[k]; ok {
		return name
	}
	return fmt.Sprintf("kind %d", uint16(k))
}

// A Signature represents a text.
type Signature struct {
	Kind Kind

	// Parameters is a hash of everything that determines the words: the XXH3-64 of the lines of
	// parameters, as in an index. Signatures with different parameters cannot be compared.
	Parameters uint64

	// Model is the hash of the model or table that the words were made with, or "".
	Model string

	Size  int // slots, bits, buckets or dimensions
	Words []uint64
}

const (
	magic   = "mithsig\x00"
	version = 1

	headBytes = 8 + 2 + 2 + 4 + 8 + 2 + 2 // magic, version, kind, size, parameters, words, bytes of the model
	sumBytes  = 8

	// MostWords is the maximum number of words of a signature.
	MostWords = 1<<16 - 1
	mostModel = 1 << 10
)

var (
	// ErrCorrupt is returned if bytes are not a signature, or are damaged.
	ErrCorrupt = errors.New("not a whole signature")
	// ErrVersion is returned if a signature was written by a newer version of the program.
	ErrVersion = errors.New("unknown version of the form of signatures")
	// ErrUnlike is returned if two signatures cannot be compared.
	ErrUnlike = errors.New("signatures that cannot be compared")
)

// AppendBinary appends the binary form.
func (s *Signature) AppendBinary(b []byte) ([]byte, error) {
	if len(s.Words) > MostWords || len(s.Model) > mostModel || s.Size < 0 || s.Size > 1<<31-1 {
		return b, fmt.Errorf("a signature of %d words, the size %d and a model of %d letters is too large",
			len(s.Words), s.Size, len(s.Model))
	}
	start := len(b)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint16(b, version)
	b = binary.LittleEndian.AppendUint16(b, uint16(s.Kind))
	b = binary.LittleEndian.AppendUint32(b, uint32(s.Size))
	b = binary.LittleEndian.AppendUint64(b, s.Parameters)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(s.Words)))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(s.Model)))
	b = append(b, s.Model...)
	for _, w := range s.Words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return binary.LittleEndian.AppendUint64(b, xxh3.Hash(b[start:])), nil
}

// MarshalBinary returns the binary form.
func (s *Signature) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// UnmarshalBinary implements encoding.BinaryUnmarshaler. b must be exactly one signature.
func (s *Signature) UnmarshalBinary(b []byte) error {
	switch {
	case len(b) < headBytes+sumBytes:
		return fmt.Errorf("%w: %d bytes are too few", ErrCorrupt, len(b))
	case string(b[:len(magic)]) != magic:
		return fmt.Errorf("%w: it does not begin like one", ErrCorrupt)
	}
	if v := binary.LittleEndian.Uint16(b[8:]); v != version {
		return fmt.Errorf("%w: %d, and this program knows %d", ErrVersion, v, version)
	}
	words, model := int(binary.LittleEndian.Uint16(b[24:])), int(binary.LittleEndian.Uint16(b[26:]))
	end := headBytes + model + 8*words
	if len(b) != end+sumBytes || model > mostModel {
		return fmt.Errorf("%w: %d bytes, and its head says %d", ErrCorrupt, len(b), end+sumBytes)
	}
	if binary.LittleEndian.Uint64(b[end:]) != xxh3.Hash(b[:end]) {
		return fmt.Errorf("%w: the checksum is wrong", ErrCorrupt)
	}
	read := Signature{
		Kind: Kind(binary.LittleEndian.Uint16(b[10:])), Size: int(binary.LittleEndian.Uint32(b[12:])),
		Parameters: binary.LittleEndian.Uint64(b[16:]), Model: string(b[headBytes : headBytes+model]),
		Words: make([]uint64, words),
	}
	for i := range read.Words {
		read.Words[i] = binary.LittleEndian.Uint64(b[headBytes+model+8*i:])
	}
	if err := read.check(); err != nil {
		return err
	}
	*s = read
	return nil
}

// check returns an error if the words do not fit the kind and size.
func (s *Signature) check() error {
	words := map[Kind]int{
		MinHash: (s.Size + 7) / 8, SimHash: s.Size / 64, TLSH: tlshWords, Embedding: rows.Words(s.Size),
	}[s.Kind]
	if words == 0 || words != len(s.Words) {
		return fmt.Errorf("%w: %d words of %s of the size %d", ErrCorrupt, len(s.Words), s.Kind, s.Size)
	}
	return nil
}
