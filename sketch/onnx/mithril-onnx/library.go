package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/ebitengine/purego"
)

// libraryVariable names the file of the library, if it is not found automatically.
const libraryVariable = "ONNXRUNTIME_LIB"

// loadLibrary loads ONNX Runtime.
func loadLibrary() (handle uintptr, err error) {
	if path := os.Getenv(libraryVariable); path != "" {
		if handle, err = purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL); err != nil {
			return 0, fmt.Errorf("%s: %w", libraryVariable, err)
		}
		return handle, nil
	}
	for _, path := range candidates() {
		if handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL); err == nil {
			return handle, nil
		}
	}
	return 0, errors.New("ONNX Runtime was not found: install it, as with pip install onnxruntime, or name its " +
		"library, libonnxruntime.so, in " + libraryVariable)
}

// candidates returns where the library may be: where the system looks for libraries, and in Python
// packages, later versions first.
func candidates() []string {
	names := []string{"libonnxruntime.so", "libonnxruntime.so.1"}
	files := "libonnxruntime.so*"
	if runtime.GOOS == "darwin" {
		names, files = []string{"libonnxruntime.dylib"}, "libonnxruntime*.dylib"
	}
	home, _ := os.UserHomeDir()
	for _, environment := range []string{
		os.Getenv("VIRTUAL_ENV"), os.Getenv("CONDA_PREFIX"), filepath.Join(home, ".local"), "/usr/local", "/usr",
	} {
		if environment == "" {
			continue
		}
		for _, packages := range []string{"site-packages", "dist-packages"} {
			pattern := filepath.Join(environment, "lib", "python3*", packages, "onnxruntime", "capi", files)
			found, _ := filepath.Glob(pattern)
			slices.Sort(found)
			slices.Reverse(found)
			names = append(names, found...)
		}
	}
	return names
}
