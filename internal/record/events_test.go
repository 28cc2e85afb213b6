package record

import (
	"bytes"
	"testing"
)

func TestLinesThatBeginEvents(t *testing.T) {
	for _, c := range []struct {
		how, line string
		want      bool
	}{
		{"time", "2026-11-24T10:00:03Z ERROR failed", true}, {"time", "Nov 24 10:00:03 host sshd: failed", true},
		{"time", "[24/Nov/2026:10:00:03 +0000] GET /", true}, {"time", "java.lang.Error: failed", false},
		{"time", "\tat a.B.c(B.java:3)", false}, {"time", "Caused by: d", false}, {"time", "", false},
		{"indent", "ERROR", true}, {"indent", "  at", false}, {"indent", "\tat", false}, {"indent", "", false},
		{`^\[`, "[a", true}, {`^\[`, " [a", false}, {`;$`, "a;", true},
	} {
		begins, err := ParseBeginning(c.how)
		if err != nil || begins([]byte(c.line)) != c.want {
			t.Errorf("%s: %q: %v, %v", c.how, c.line, !c.want, err)
		}
	}
	if _, err := ParseBeginning("("); err == nil {
		t.Error("no regular expression: accepted")
	}
	long := append(bytes.Repeat([]byte{'a'}, MaxLineStart), "1\n"...)
	if line, ok := headOfLine(long); !ok || len(line) != MaxLineStart {
		t.Errorf("of a long line %d bytes count, %v", len(line), ok)
	}
}
