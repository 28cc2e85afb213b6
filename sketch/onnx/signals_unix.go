//go:build unix

package onnx

import (
	"os/exec"
	"syscall"
)

// leaveSignals keeps Ctrl-C from the child: this program ends in order, and then the child.
func leaveSignals(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
