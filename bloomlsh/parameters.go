package bloomlsh

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/parameter"
)

// A Parameter is a name and a value on which verdicts depend. It is stored with an index and shown
// to the user.
type Parameter = parameter.Parameter

// parameters returns the index's own parameters, in the order of the file format.
func (p Params) parameters() []Parameter {
	list := []Parameter{
		{Name: "bands", Value: strconv.Itoa(p.Bands)},
		{Name: "capacity", Value: strconv.FormatUint(p.Capacity, 10)},
		{Name: "fp-rate", Value: strconv.FormatFloat(p.FPRate, 'g', -1, 64)},
		{Name: "filter", Value: p.Filter},
		{Name: "remember", Value: p.Remember},
		{Name: "on-full", Value: p.OnFull},
		{Name: "votes", Value: strconv.Itoa(p.Votes)},
	}
	if p.PageSeed != 0 {
		list = append(list, Parameter{Name: pageSeedName, Value: strconv.FormatUint(p.PageSeed, 10)})
	}
	if p.grows() {
		list = append(list, Parameter{Name: growthName, Value: p.Growth})
	}
	if p.Generations > 0 {
		list = append(list, Parameter{Name: generationsName, Value: strconv.Itoa(p.Generations)})
	}
	if p.forgets() {
		list = append(list, Parameter{Name: keepName, Value: strconv.Itoa(p.KeepGenerations)})
	}
	if p.hasClock() {
		list = append(list, Parameter{Name: forgetName, Value: p.ForgetAfter.String()})
	}
	return list
}

// Optional parameters, which come last and are omitted if they have their default values.
const (
	pageSeedName = "page-seed"
	growthName   = "growth"
	keepName     = "keep-generations"
	forgetName   = "forget-after"

	generationsName = "generations"
)

// splitParameters splits the parameter list of an index into the identity and the index's own
// parameters, which follow it.
func splitParameters(list []Parameter) (p Params, identity []Parameter, err error) {
	rest, err := p.readOptional(list)
	if err != nil {
		return p, nil, err
	}
	if identity, err = p.readRequired(rest); err != nil {
		return p, nil, err
	}
	if p != p.complete() {
		return p, nil, errors.New("one of the index's own parameters has no value")
	}
	return p, identity, p.Validate()
}

// An optionalParameter is listed only if it does not have its default value.
type optionalParameter struct {
	name    string
	problem string // error message for an invalid value
	read    func(value string) (ok bool, err error)
}

// optional returns how to parse the optional parameters, starting with the last in the list.
func (p *Params) optional() []optionalParameter {
	number := func(to *int, unsaid int) func(string) (bool, error) {
		return func(value string) (ok bool, err error) {
			*to, err = strconv.Atoi(value)
			return *to != unsaid, err
		}
	}
	return []optionalParameter{
		{forgetName, "which is no time", func(value string) (ok bool, err error) {
			p.ForgetAfter, err = time.ParseDuration(value)
			return p.ForgetAfter != 0 && p.ForgetAfter.String() == value, err
		}},
		{keepName, "which is no number of generations", number(&p.KeepGenerations, 0)},
		{generationsName, "which is no number", number(&p.Generations, 0)},
		{growthName, "which is no way to grow", func(value string) (bool, error) {
			p.Growth = value
			return value == GrowthDoubling || value == GrowthThreefold, nil
		}},
		{pageSeedName, "which is no seed", func(value string) (ok bool, err error) {
			p.PageSeed, err = strconv.ParseUint(value, 10, 64)
			return p.PageSeed != 0, err
		}},
	}
}

// readOptional parses the optional parameters at the end of a list, and returns those before them.
func (p *Params) readOptional(list []Parameter) (before []Parameter, err error) {
	for _, optional := range p.optional() {
		rest, value, ok := cutLast(list, optional.name)
		if !ok {
			continue
		}
		good, failed := optional.read(value)
		if !good {
			return nil, fmt.Errorf("parameter %s is %q, %s", optional.name, value, optional.problem)
		}
		list, err = rest, errors.Join(err, failed)
	}
	return list, err
}

// readRequired parses the parameters that every index lists, and returns those before them.
func (p *Params) readRequired(list []Parameter) (before []Parameter, err error) {
	own := Params{}.parameters()
	first := len(list) - len(own)
	if first < 0 {
		return nil, fmt.Errorf("there are only %d parameters", len(list))
	}
	values := list[first:]
	for i := range own {
		if values[i].Name != own[i].Name {
			return nil, fmt.Errorf("found parameter %s where %s was expected", values[i].Name, own[i].Name)
		}
	}
	var errs [4]error
	p.Bands, errs[0] = strconv.Atoi(values[0].Value)
	p.Capacity, errs[1] = strconv.ParseUint(values[1].Value, 10, 64)
	p.FPRate, errs[2] = strconv.ParseFloat(values[2].Value, 64)
	p.Filter, p.Remember, p.OnFull = values[3].Value, values[4].Value, values[5].Value
	p.Votes, errs[3] = strconv.Atoi(values[6].Value)
	return list[:first], errors.Join(errs[:]...)
}

// cutLast removes the last parameter if it has the given name.
func cutLast(list []Parameter, name string) (rest []Parameter, value string, ok bool) {
	n := len(list)
	if n == 0 || list[n-1].Name != name {
		return list, "", false
	}
	return list[:n-1], list[n-1].Value, true
}

// allParameters returns the parameters with which an index is built: the identity given by the
// caller, followed by the index's own parameters.
func allParameters(identity []Parameter, p Params) ([]Parameter, error) {
	list := append(append([]Parameter{}, identity...), p.parameters()...)
	return list, parameter.CheckNames(list)
}

// ThresholdParameter is the name of a parameter on which no verdict depends: the similarity that
// the others were chosen for.
const ThresholdParameter = index.ThresholdParameter

// MadeByParameter is the name of another parameter on which no verdict depends: the flags that
// created the index. They are shown only when the index is inspected.
const MadeByParameter = index.MadeByParameter
