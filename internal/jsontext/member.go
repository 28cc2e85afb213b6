package jsontext

import "bytes"

// WithMembers returns the parts that make up an object with members added before its closing brace.
// What surrounds the object stays, such as the end of the line.
func WithMembers(object, members []byte) [4][]byte {
	brace := bytes.LastIndexByte(object, '}')
	before, rest := object[:brace], object[brace:]
	comma := []byte(",")
	if trimmed := bytes.TrimRight(before, " \t\r"); trimmed[len(trimmed)-1] == '{' {
		comma = nil // the object is empty
	}
	return [4][]byte{before, comma, members, rest}
}

// AppendWithMembers appends to dst an object with members added before its closing brace.
func AppendWithMembers(dst, object, members []byte) []byte {
	for _, part := range WithMembers(object, members) {
		dst = append(dst, part...)
	}
	return dst
}
