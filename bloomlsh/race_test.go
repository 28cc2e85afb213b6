//go:build race

package bloomlsh

const underRaceDetector = true
