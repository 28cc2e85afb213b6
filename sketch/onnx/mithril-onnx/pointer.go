package main

import "unsafe"

// pointer converts an address outside of Go's memory.
func pointer(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// address returns the address of the first byte.
func address(b []byte) uintptr { return uintptr(unsafe.Pointer(&b[0])) }

// cString returns text with a terminating zero.
func cString(text string) []byte { return append([]byte(text), 0) }

// goString copies a C string.
func goString(address uintptr) string {
	if address == 0 {
		return ""
	}
	var text []byte
	for at := pointer(address); *(*byte)(at) != 0; at = unsafe.Add(at, 1) {
		text = append(text, *(*byte)(at))
	}
	return string(text)
}
