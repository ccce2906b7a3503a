//go:build noasm || (!amd64 && !arm64)

package vec

func sincos64(sin, cos, src []float64) (large bool) { return sincos64Generic(sin, cos, src) }

func sincos32(sin, cos, src []float32) (large bool) { return sincos32Generic(sin, cos, src) }
