package dedup

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// AddWithin is Add for a Deduplicator with Options.Within: it compares a text only with those added
// with the same value. A value is a string, an integer, a boolean, or a number as it is written in
// JSON, a json.Number; nil, for a text without a value, is one more. As in the program "1", 1 and
// 1.0 are three values. Any other value, such as a float64, which does not say how the number was
// written, is a ConfigError.
func (d *Deduplicator) AddWithin(text string, value any) (Verdict, error) {
	of, err := d.valueOf(value)
	if err != nil {
		return Verdict{Text: text, Original: -1}, err
	}
	return d.add(text, of)
}

// SeenWithin is Seen for a Deduplicator with Options.Within, with a value as AddWithin takes it.
func (d *Deduplicator) SeenWithin(text string, value any) (Verdict, error) {
	of, err := d.valueOf(value)
	if err != nil {
		return Verdict{Text: text, Original: -1}, err
	}
	return d.seen(text, of)
}

// A value is what texts have in common that are compared, as stream.Confiner receives it.
type value struct {
	bytes  []byte
	isText bool
}

// valueOf reads what a caller gives as a value.
func (d *Deduplicator) valueOf(given any) (value, error) {
	if d.within == "" {
		return value{}, &ConfigError{"Within",
			errors.New("a text has a value, but Options.Within is empty: say there what values are")}
	}
	if given == nil {
		return value{}, nil
	}
	if number, ok := given.(json.Number); ok {
		written, err := json.Marshal(number) // which checks it
		if err != nil || number == "" {
			return value{}, &ConfigError{"Within", fmt.Errorf("%q is not a number in JSON", string(number))}
		}
		return value{bytes: written}, nil
	}
	switch of := reflect.ValueOf(given); {
	case of.Kind() == reflect.String:
		return value{[]byte(of.String()), true}, nil
	case of.Kind() == reflect.Bool:
		return value{bytes: fmt.Append(nil, of.Bool())}, nil
	case of.CanInt():
		return value{bytes: fmt.Append(nil, of.Int())}, nil
	case of.CanUint():
		return value{bytes: fmt.Append(nil, of.Uint())}, nil
	}
	return value{}, &ConfigError{"Within",
		fmt.Errorf("a %T is no value: give a string, an integer, a boolean, a json.Number, or nil for none", given)}
}

// checkUnconfined refuses a text without a value where values are compared; instead is the method
// that takes one.
func (d *Deduplicator) checkUnconfined(instead string) error {
	if d.within == "" {
		return nil
	}
	return &ConfigError{"Within", fmt.Errorf("a text needs its %q: use %s", d.within, instead)}
}
