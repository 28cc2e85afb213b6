package storetest

import "os"

// inMemory is a folder whose files are in memory, on systems that have one.
const inMemory = "/dev/shm"

// RunInMemory runs the tests of a package with their temporary directories in memory, where there
// is such a folder. To create a file there takes a sixth of the time that it takes on a disk, so
// this is for tests with very many files; but these are never read past the page cache.
func RunInMemory(tests interface{ Run() int }) (code int) {
	dir, err := os.MkdirTemp(inMemory, "tests")
	if err != nil {
		return tests.Run()
	}
	defer os.RemoveAll(dir)
	if err := os.Setenv("TMPDIR", dir); err != nil {
		panic(err)
	}
	return tests.Run()
}
