//go:build !race

package bloomlsh

const underRaceDetector = false
