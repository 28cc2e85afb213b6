//go:build !amd64 || purego

package jsontext

import "testing"

// eachWay runs a test: there is one way.
func eachWay(t *testing.T, test func(t *testing.T)) { test(t) }
