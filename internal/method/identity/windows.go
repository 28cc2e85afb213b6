package identity

import (
	"strconv"
	"time"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/memory/windows"
	"github.com/mithril-stream/mithril-stream/internal/parameter"
)

// WindowsOf returns the windows that the parameters of an index describe, if it forgets.
func WindowsOf(list []bloomlsh.Parameter) (p windows.Params) {
	keep, _ := parameter.Value(list, keepParameter)
	age, _ := parameter.Value(list, forgetParameter)
	p.Keep, _ = strconv.Atoi(keep)
	p.ForgetAfter, _ = time.ParseDuration(age)
	if p.Keep == 0 && p.ForgetAfter > 0 && MemoryIn(list) == MemoryOfKeys {
		return windows.ExactParams(p.ForgetAfter)
	}
	return p
}

// ExactAge returns the age at which an index with these parameters forgets a key, or 0.
func ExactAge(list []bloomlsh.Parameter) time.Duration {
	if p := WindowsOf(list); p.Exact {
		return p.ForgetAfter
	}
	return 0
}
