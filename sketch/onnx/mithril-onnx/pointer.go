package main

import "unsafe"

// pointer is an address of memory that is not Go's.
func pointer(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// address is where the first byte is.
func address(b []byte) uintptr { return uintptr(unsafe.Pointer(&b[0])) }

// cString ends with a zero.
func cString(text string) []byte { return append([]byte(text), 0) }

// goString copies a string of C.
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
