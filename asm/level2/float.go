package level2

import "github.com/gramworks/gram/num"

// The same for either type: Scale is Scale64 or Scale32, and so on.

// Scale multiplies x by alpha.
func Scale[F num.Float](alpha F, x []F) {
	switch x := any(x).(type) {
	case []float64:
		Scale64(float64(alpha), x)
	case []float32:
		Scale32(float32(alpha), x)
	}
}

// Ger adds alpha·x·yᵀ to the matrix a.
func Ger[F num.Float](a []F, lda int, x, y []F, alpha F) {
	switch a := any(a).(type) {
	case []float64:
		Ger64(a, lda, any(x).([]float64), any(y).([]float64), float64(alpha))
	case []float32:
		Ger32(a, lda, any(x).([]float32), any(y).([]float32), float32(alpha))
	}
}

// GemvN adds alpha·A·x to y.
func GemvN[F num.Float](y, a []F, lda int, x []F, alpha F) {
	switch y := any(y).(type) {
	case []float64:
		GemvN64(y, any(a).([]float64), lda, any(x).([]float64), float64(alpha))
	case []float32:
		GemvN32(y, any(a).([]float32), lda, any(x).([]float32), float32(alpha))
	}
}

// GemvT adds alpha·Aᵀ·x to y.
func GemvT[F num.Float](y, a []F, lda int, x []F, alpha F) {
	switch y := any(y).(type) {
	case []float64:
		GemvT64(y, any(a).([]float64), lda, any(x).([]float64), float64(alpha))
	case []float32:
		GemvT32(y, any(a).([]float32), lda, any(x).([]float32), float32(alpha))
	}
}
