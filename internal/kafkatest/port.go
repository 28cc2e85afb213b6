package kafkatest

import (
	"fmt"
	"syscall"
)

// A port is a loopback port that stays reserved for a broker, including while it restarts. A broker
// must know its ports before it starts: its configuration names the controller's, and clients are
// told the other.
type port struct {
	address string
	socket  int
}

// reserve binds a socket to a free port without listening on it. On Linux the broker can then bind
// and listen, since both sockets have SO_REUSEADDR (Java sets it) and ours does not listen; no
// other program gets the port meanwhile. On systems that do not allow this, the broker ends with
// "address already in use".
func reserve() (*port, error) {
	syscall.ForkLock.RLock() // the broker must not inherit it
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(socket)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, fmt.Errorf("reserve a port: %w", err)
	}
	p := &port{socket: socket}
	if err := p.bind(); err != nil {
		p.release()
		return nil, fmt.Errorf("reserve a port: %w", err)
	}
	return p, nil
}

func (p *port) bind() error {
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
	p.address = fmt.Sprintf("127.0.0.1:%d", bound.(*syscall.SockaddrInet4).Port)
	return nil
}

// release releases the port. A nil port is valid.
func (p *port) release() error {
	if p == nil {
		return nil
	}
	return syscall.Close(p.socket)
}
