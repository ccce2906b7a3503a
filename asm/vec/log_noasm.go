//go:build noasm || (!amd64 && !arm64)

package vec

func log64(dst, src []float64) { log64Generic(dst, src) }

func log32(dst, src []float32) { log32Generic(dst, src) }
