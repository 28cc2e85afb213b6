package embedding

// addVector adds vector to sum, of the same length. Each sum is rounded once, so that the result
// depends on the order of the vectors, but not on the processor.
func addVector(sum, vector []float32) {
	whole := 0
	if hasAVX2 {
		if whole = len(sum) &^ 7; whole > 0 {
			addVectorAVX2(&sum[0], &vector[0], whole)
		}
	}
	addRest(sum[whole:], vector[whole:len(sum)])
}

// addRest is addVector in Go.
func addRest(sum, vector []float32) {
	for i, v := range vector {
		sum[i] += v
	}
}

// addWeighted adds weight times vector to sum. The conversion prevents fused multiply-add, which
// would round differently on processors other than amd64.
func addWeighted(sum, vector []float32, weight float32) {
	vector = vector[:len(sum)]
	for i, v := range vector {
		sum[i] += float32(v * weight)
	}
}
