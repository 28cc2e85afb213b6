package onnx

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/sketch/embedding"
)

// The files of a model; it is in one of several.
const (
	tokenizerFile = "tokenizer.json"
	poolingFile   = "1_Pooling/config.json"
	lengthFile    = "sentence_bert_config.json"
)

var modelFiles = []string{"model.onnx", "onnx/model.onnx"}

// modelPath returns the model file in a directory, or "" if there is none.
func modelPath(dir string) string {
	for _, name := range modelFiles {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}

// IsIn reports whether a directory has an ONNX model.
func IsIn(dir string) bool { return modelPath(dir) != "" }

// maxWindow bounds the tokens of a window, and defaultWindow is for models that do not specify it.
const maxWindow, defaultWindow = 1 << 15, 512

// A Model computes vectors of texts. It is safe for concurrent use; its encoders are not.
type Model struct {
	path      string
	tokenizer *embedding.Tokenizer
	pooling   pooling
	window    int // tokens that the model accepts at once, including special ones
	dims      int
	hash      string
	runtime   string // the version of ONNX Runtime

	mutex    sync.Mutex
	idle     *child   // the child that tested the model, until an encoder takes it
	children []*child // all of them
	closed   bool
}

// Open opens the model in a directory. pool is cls, mean or max, or empty for what the directory
// specifies, by default mean. It starts a child, to test whether the model runs; an error says what
// is missing and how to get it. The caller must close the model.
func Open(dir, pool string) (*Model, error) {
	m := &Model{path: modelPath(dir)}
	if m.path == "" {
		return nil, fmt.Errorf("%s has no %s", dir, modelFiles[0])
	}
	tokens, err := os.ReadFile(filepath.Join(dir, tokenizerFile))
	if err != nil {
		return nil, err
	}
	if m.tokenizer, err = embedding.NewTokenizer(tokens); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, tokenizerFile), err)
	}
	if m.pooling, err = poolingOf(dir, pool); err != nil {
		return nil, err
	}
	if m.window, err = windowOf(dir, m.tokenizer); err != nil {
		return nil, err
	}
	if m.hash, err = m.hashOf(tokens); err != nil {
		return nil, err
	}
	if err := m.try(); err != nil {
		return nil, fmt.Errorf("%s: %w", m.path, errors.Join(err, m.Close()))
	}
	return m, nil
}

// try runs the model once, to see its output.
func (m *Model) try() error {
	c, err := m.acquireChild()
	if err != nil {
		return err
	}
	rows, err := c.run(append(append([]uint32{}, m.tokenizer.Before...), m.tokenizer.After...))
	if err != nil {
		return err
	}
	m.dims, m.runtime, m.idle = rows.dims, c.version, c
	return nil
}

// acquireChild returns a child that no other encoder uses.
func (m *Model) acquireChild() (*child, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if c := m.idle; c != nil {
		m.idle = nil
		return c, nil
	}
	if m.closed {
		return nil, errors.New("the model is closed")
	}
	c, err := startChild(m.path)
	if err == nil {
		m.children = append(m.children, c)
	}
	return c, err
}

// Close kills all children, including busy ones: their encoders fail.
func (m *Model) Close() error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for _, c := range m.children {
		c.close()
	}
	m.children, m.idle, m.closed = nil, nil, true
	return nil
}

// Dims returns the number of dimensions.
func (m *Model) Dims() int { return m.dims }

// Hash identifies the files of the model and how it is used, in 32 hexadecimal digits.
func (m *Model) Hash() string { return m.hash }

// Runtime returns the version of ONNX Runtime.
func (m *Model) Runtime() string { return m.runtime }

// hashOf returns the xxh3-128 of the model, its accompanying files, its tokenizer, and how it is
// used.
func (m *Model) hashOf(tokens []byte) (string, error) {
	all := xxh3.New()
	for _, path := range []string{m.path, m.path + "_data", m.path + ".data"} {
		file, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) && path != m.path {
			continue
		}
		if err != nil {
			return "", err
		}
		one := xxh3.New()
		_, err = io.Copy(one, file)
		if err := errors.Join(err, file.Close()); err != nil {
			return "", err
		}
		sum := one.Sum128().Bytes()
		all.Write(sum[:])
	}
	sum := xxh3.Hash128(tokens).Bytes()
	all.Write(sum[:])
	fmt.Fprintf(all, "%s %d", m.pooling, m.window)
	sum = all.Sum128().Bytes()
	return hex.EncodeToString(sum[:]), nil
}

// windowOf returns how many tokens the model accepts at once.
func windowOf(dir string, t *embedding.Tokenizer) (int, error) {
	var said struct {
		Max int `json:"max_seq_length"`
	}
	if err := readJSON(filepath.Join(dir, lengthFile), &said); err != nil {
		return 0, err
	}
	window := cmp.Or(said.Max, t.MaxTokens, defaultWindow)
	if least := len(t.Before) + len(t.After) + 1; window < least || window > maxWindow {
		return 0, fmt.Errorf("%s: texts of at most %d tokens: between %d and %d are possible", dir, window, least,
			maxWindow)
	}
	return window, nil
}

// readJSON reads a file that may not exist.
func readJSON(path string, to any) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
