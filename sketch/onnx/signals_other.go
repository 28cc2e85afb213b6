//go:build !unix

package onnx

import "os/exec"

// leaveSignals does nothing where there are no groups of processes.
func leaveSignals(*exec.Cmd) {}
