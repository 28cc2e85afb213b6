package tests

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"testing"
)

// TestHeadWithABody reads from a server that answers a question about a file with the file. What
// the library for HTTP says of that is not for people.
func TestHeadWithABody(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	record := "{\"text\":\"one two three\"}\n"
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				for in := bufio.NewReader(conn); ; {
					if _, err := http.ReadRequest(in); err != nil {
						return
					}
					fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(record), record)
				}
			}()
		}
	}()
	r := runWithCache(t, t.TempDir(), "", "-q", "http://"+listener.Addr().String()+"/x.jsonl")
	if r.code != 0 || r.out != record || r.messages != "" {
		t.Errorf("%+v", r)
	}
}
