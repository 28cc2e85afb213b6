// Package freeport reserves ports for servers that tests start.
package freeport

import (
	"fmt"
	"syscall"
)

// A Port is a loopback port that stays reserved for a server, including while it restarts. A server
// must know its ports before it starts, if its configuration names them.
type Port struct {
	Number int
	socket int
}

// Reserve binds a socket to a free port without listening on it. On Linux the server can then bind
// and listen, since both sockets have SO_REUSEADDR (Go, Java and Node.js set it) and ours does not
// listen; no other program gets the port meanwhile. On systems that do not allow this, the server
// ends with "address already in use".
func Reserve() (*Port, error) {
	syscall.ForkLock.RLock() // the server must not inherit it
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(socket)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, fmt.Errorf("reserve a port: %w", err)
	}
	p := &Port{socket: socket}
	if err := p.bind(); err != nil {
		_ = p.Release()
		return nil, fmt.Errorf("reserve a port: %w", err)
	}
	return p, nil
}

func (p *Port) bind() error {
	if err := syscall.SetsockoptInt(p.socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		return err
	}
	loopback := [4]byte{127, 0, 0, 1}
	if err := syscall.Bind(p.socket, &syscall.SockaddrInet4{Addr: loopback}); err != nil {
		return err
	}
	bound, err := syscall.Getsockname(p.socket)
	if err != nil {
		return err
	}
	p.Number = bound.(*syscall.SockaddrInet4).Port
	return nil
}

// Address returns the port with its host.
func (p *Port) Address() string { return fmt.Sprintf("127.0.0.1:%d", p.Number) }

// Release releases the port. A nil port is valid.
func (p *Port) Release() error {
	if p == nil {
		return nil
	}
	return syscall.Close(p.socket)
}
