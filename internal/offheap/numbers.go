package offheap

import "unsafe"

// A Number is what AllocateNumbers can allocate.
type Number interface {
	uint8 | uint16 | uint32 | int64
}

// AllocateNumbers returns one or more zeroed numbers. Their capacity covers the whole mapping,
// so a slice of them that begins with the first can be freed, whatever its length.
func AllocateNumbers[T Number](count int) ([]T, error) {
	var number T
	inWord := wordBytes / int(unsafe.Sizeof(number))
	words, err := Allocate(uint64((count + inWord - 1) / inWord))
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&words[0])), inWord*cap(words))[:count], nil
}

// ReleaseNumbers frees what AllocateNumbers returned.
func ReleaseNumbers[T Number](numbers []T) error {
	var number T
	inWord := wordBytes / int(unsafe.Sizeof(number))
	words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(numbers))), cap(numbers)/inWord)
	return Release(words)
}
