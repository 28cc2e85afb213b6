package stream

import (
	"errors"
	"fmt"
)

// A Place is the position in the input where something was first noticed.
type Place struct {
	Input   string `json:"input"`
	Unit    string `json:"unit,omitempty"` // what a record is, unless it is a line
	Record  uint64 `json:"record"`         // 1-based
	Problem string `json:"problem"`
	// Spoiled says that earlier parts of the input may be wrong, too.
	Spoiled bool `json:"spoiled,omitempty"`
}

// spoils reports whether an error of an input means that earlier parts of it may be wrong.
func spoils(err error) bool {
	var s interface{ Spoils() bool }
	return errors.As(err, &s) && s.Spoils()
}

func (p Place) String() string {
	switch {
	case p.Unit == fileUnit, p.Record == 0:
		return fmt.Sprintf("%s: %s", p.Input, p.Problem)
	case p.Unit == "":
		return fmt.Sprintf("%s:%d: %s", p.Input, p.Record, p.Problem)
	}
	return fmt.Sprintf("%s: %s %d: %s", p.Input, p.Unit, p.Record, p.Problem)
}
