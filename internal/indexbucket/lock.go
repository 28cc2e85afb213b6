package indexbucket

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/object"
)

const (
	lockName = "LOCK"
	maxLock  = 4 << 10
)

// A Holder describes who holds the lock of an index.
type Holder struct {
	Host  string    `json:"host"`
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
	Token string    `json:"token"` // unique to the holder
}

func (h Holder) String() string {
	return fmt.Sprintf("process %d on %s, since %s", h.PID, h.Host, h.Since.UTC().Format(time.RFC3339))
}

// ErrLocked is returned if another program writes to the index.
var ErrLocked = errors.New("the index is locked")

// A lock is the lock of an index, held by this program.
type lock struct {
	bucket *Bucket
	holder Holder
	text   []byte
}

// lock takes the lock, or returns ErrLocked with its holder.
func (b *Bucket) lock() (*lock, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown machine"
	}
	var token [8]byte
	rand.Read(token[:]) // never fails
	l := &lock{bucket: b, holder: Holder{host, os.Getpid(), time.Now().UTC(), hex.EncodeToString(token[:])}}
	if l.text, err = jsonout.Marshal(l.holder); err != nil {
		return nil, err
	}
	err = b.replace(lockName, l.text, "")
	if errors.Is(err, object.ErrOther) {
		return nil, b.lockedBy()
	}
	if err != nil {
		_ = l.release() // most likely nothing is there; otherwise the next run reports it
		return nil, fmt.Errorf("cannot lock the index: %w", err)
	}
	if err := b.checkConditions(l.text); err != nil {
		return nil, errors.Join(err, l.release())
	}
	return l, nil
}

// checkConditions returns an error for a server that ignores the conditions of writes, as some do,
// which would make the lock and CURRENT useless. Its test writes do no harm: they write the lock
// again.
func (b *Bucket) checkConditions(text []byte) error {
	foreign, err := b.client.ForeignTag(b.path(lockName))
	if err != nil {
		return err
	}
	for _, tag := range []string{"", foreign} {
		_, err := b.client.Replace(b.path(lockName), text, tag)
		switch {
		case err == nil:
			return fmt.Errorf("%s: the server writes an object although the condition of the write (If-Match, "+
				"If-None-Match) does not hold: an index cannot be kept there", b.url)
		case !errors.Is(err, object.ErrOther):
			return fmt.Errorf("cannot lock the index: %w", err)
		}
	}
	return nil
}

// lockedBy returns ErrLocked with the holder, if that can be read.
func (b *Bucket) lockedBy() error {
	by := "it cannot be read by whom"
	if h, err := b.Holder(); err == nil && h != nil {
		by = "by " + h.String()
	} else if err == nil {
		by = "or was a moment ago"
	}
	return fmt.Errorf("%s: %w, %s: wait until that run has ended; if it was killed, mithril-stream index unlock %s "+
		"removes its lock", b.url, ErrLocked, by, b.url)
}

// Holder returns the holder of the lock, or nil if it is free.
func (b *Bucket) Holder() (*Holder, error) {
	text, _, err := b.client.Get(b.path(lockName), maxLock)
	if errors.Is(err, object.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var h Holder
	if json.Unmarshal(text, &h) != nil || h.Token == "" {
		return nil, fmt.Errorf("%s does not say who holds it", b.path(lockName))
	}
	return &h, nil
}

// Unlock removes the lock, whoever holds it. A run that held it cannot publish once another run
// has.
func (b *Bucket) Unlock() error { return b.client.Remove(b.path(lockName)) }

// release removes the lock, unless it was taken away.
func (l *lock) release() error {
	if _, err := l.bucket.client.RemoveIf(l.bucket.path(lockName), l.text); err != nil {
		return fmt.Errorf("cannot remove the lock: %w: mithril-stream index unlock %s does", err, l.bucket.url)
	}
	return nil
}
