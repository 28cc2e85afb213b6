package written

import "testing"

// A path is carried along with the index that it lies beside, and left where that cannot be said.
func TestBeside(t *testing.T) {
	here, there := Place{Path: "/b/ix", Inode: 2}, Place{Path: "/a/ix", Inode: 1}
	for _, c := range []struct {
		here, there Place
		path, want  string
	}{
		{here, there, "/a/out", "/b/out"},
		{here, there, "/a/ix/../new/out", "/b/new/out"},
		{here, there, "/out", "/out"},
		{here, here, "/a/out", "/a/out"},
		{Place{Path: "/a/ix", Inode: 3}, there, "/a/out", "/a/out"}, // restored in its place
		{here, Place{}, "/a/out", "/a/out"},
		{Place{Path: "s3://bucket/ix"}, there, "/a/out", "/a/out"},
		{here, there, "s3://bucket/out", "s3://bucket/out"},
		{here, there, "", ""},
	} {
		if got := c.here.Beside(c.path, c.there); got != c.want {
			t.Errorf("%s beside %v, seen from %v: %s, want %s", c.path, c.there, c.here, got, c.want)
		}
	}
}

// An output is known by its file and by its contents, and by neither if that is unknown.
func TestOutputsAreTheSame(t *testing.T) {
	file, copied := Output{Device: 1, Inode: 2, Born: 3}, Output{Bytes: 4, Contents: "c"}
	other := file
	other.Born = 4
	if !file.IsFile(file) || file.IsFile(other) || copied.IsFile(copied) || file.HasContents(file) {
		t.Error("files are not told apart")
	}
	empty := Output{Contents: "e"}
	if !copied.HasContents(copied) || copied.HasContents(Output{Bytes: 5, Contents: "c"}) || empty.HasContents(empty) {
		t.Error("contents are not told apart")
	}
	for _, other := range []Output{{Bytes: 5, Contents: "c"}, {Bytes: 4, Contents: "d"}, {Contents: "e"}} {
		if !copied.Differs(other) || copied.Differs(copied) || copied.Differs(file) || file.Differs(other) {
			t.Errorf("%v and %v are not told apart, or what is unknown is taken for different", copied, other)
		}
	}
	if one, two := (Output{Version: "4 a"}), (Output{Version: "4 b"}); !one.Differs(two) || one.Differs(one) ||
		one.Differs(copied) || one.Differs(Output{}) {
		t.Error("versions of an object are not told apart")
	}
	appended := Output{Bytes: 4, Start: 4, Contents: "c"}
	if !empty.IsEmpty() || !appended.IsEmpty() || copied.IsEmpty() || file.IsEmpty() {
		t.Error("what holds nothing is not known")
	}
}
