package tests

import (
	"encoding/binary"
	"math"
	"os"
)

// fakeONNX is the child that runs models of ONNX, without a model: each token has a vector of its
// own. One of the token "dollars" (75) is no number. sketch/onnx/child.go defines the form of
// both.
func fakeONNX() {
	say := func(kind byte, payload []byte) {
		os.Stdout.Write(append(binary.LittleEndian.AppendUint32([]byte{kind}, uint32(len(payload))), payload...))
	}
	const dims, notANumber = 64, 75
	say('H', []byte("fake"))
	for {
		var count uint32
		if binary.Read(os.Stdin, binary.LittleEndian, &count) != nil {
			return
		}
		ids := make([]uint32, count)
		if binary.Read(os.Stdin, binary.LittleEndian, ids) != nil {
			return
		}
		rows := binary.LittleEndian.AppendUint32(nil, count)
		rows = binary.LittleEndian.AppendUint32(rows, dims)
		for _, id := range ids {
			for d := range uint32(dims) {
				value := 0.
				switch {
				case id == notANumber:
					value = math.NaN()
				case d == id%dims:
					value = 1
				}
				rows = binary.LittleEndian.AppendUint32(rows, math.Float32bits(float32(value)))
			}
		}
		say('V', rows)
	}
}
