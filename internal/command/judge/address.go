package judge

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// An address is where the command listens for clients. The zero address stands for none.
type address struct {
	network string // "unix" or "tcp"
	at      string // a path, or a host and a port
}

// parseAddress parses the value of --listen: unix:PATH, a path with a slash, or HOST:PORT. Without
// a host, it means only this machine.
func parseAddress(given string) (address, error) {
	if given == "" {
		return address{}, nil
	}
	path, isUnix := strings.CutPrefix(given, "unix:")
	if isUnix || strings.Contains(given, "/") {
		if path == "" || strings.HasPrefix(path, "@") {
			return address{}, usageError("--listen %s: give the path of a socket, as in unix:judge.sock", given)
		}
		return address{"unix", path}, nil
	}
	host, port, err := net.SplitHostPort(given)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return address{}, usageError("--listen %s: give unix:PATH, or HOST:PORT as in localhost:7000", given)
	}
	if host == "" {
		host = "localhost"
	}
	return address{"tcp", net.JoinHostPort(host, port)}, nil
}

func usageError(format string, args ...any) error { return usage.Error(fmt.Errorf(format, args...)) }

// listen listens there. It replaces a socket left by a command that was killed, but no other file.
// close stops listening, and removes the socket.
func (a address) listen() (l net.Listener, close func() error, err error) {
	l, err = net.Listen(a.network, a.at)
	if a.network == "unix" && errors.Is(err, syscall.EADDRINUSE) {
		if err = removeAbandoned(a.at); err != nil {
			return nil, nil, fmt.Errorf("--listen %s: %w", a.at, err)
		}
		l, err = net.Listen(a.network, a.at)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("--listen: %w", err)
	}
	socket, isUnix := l.(*net.UnixListener)
	if !isUnix {
		return l, sync.OnceValue(func() error { _ = l.Close(); return nil }), nil
	}
	socket.SetUnlinkOnClose(false) // it would remove whatever has the name by then
	made, err := os.Lstat(a.at)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("--listen: %w", err), l.Close())
	}
	return l, sync.OnceValue(func() (err error) {
		if now, gone := os.Lstat(a.at); gone == nil && os.SameFile(made, now) {
			err = os.Remove(a.at)
		}
		if closing := l.Close(); !errors.Is(closing, net.ErrClosed) {
			err = errors.Join(err, closing)
		}
		return err
	}), nil
}

// removeAbandoned removes a socket on which no program listens any more.
func removeAbandoned(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSocket == 0 {
		return errors.New("the file exists and is not a socket: choose another path")
	}
	conn, err := net.Dial("unix", path)
	switch {
	case err == nil:
		conn.Close()
		return errors.New("another program listens there: stop it, or choose another path")
	case !errors.Is(err, syscall.ECONNREFUSED):
		return err
	}
	return os.Remove(path)
}

// isPrivate reports whether only programs on this machine can connect.
func isPrivate(l net.Listener) bool {
	tcp, isTCP := l.Addr().(*net.TCPAddr)
	return !isTCP || tcp.IP.IsLoopback()
}
