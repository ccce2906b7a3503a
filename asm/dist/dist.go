package dist

import "github.com/gramworks/gram/internal/race"

//go:generate go run github.com/gramworks/gram/internal/neon/gen

// Work per assembly call, which the scheduler cannot interrupt.
const (
	maxColumns  = 4096
	maxElements = 8 * maxColumns
)

// rowsPerCall is a multiple of eight, the number of rows that share loads.
func rowsPerCall(columns int) int { return max(8, maxElements/columns&^7) }

// check panics unless z holds m rows of d at distance ld.
func check(m, d, z, ld int) {
	if ld < d {
		panic("dist: row distance is below the number of columns")
	}
	if m > 0 && z < (m-1)*ld+d {
		panic("dist: matrix is too short")
	}
}

// Squared64 writes the squared Euclidean distances of x to len(dst) rows of z:
// dst[i] = Σ_j (x[j] − z[i·ld+j])². It panics if ld < len(x) or z is too
// short.
func Squared64(dst, x, z []float64, ld int) {
	m, d := len(dst), len(x)
	check(m, d, len(z), ld)
	race.Read(x)
	race.Write(dst)
	race.ReadRows(z, len(dst), ld, len(x))
	w := min(d, maxColumns)
	if w == 0 {
		clear(dst)
		return
	}
	step := rowsPerCall(w)
	for i := 0; i < m; i += step {
		h := min(m-i, step)
		squared64(dst[i:i+h], x[:w], z[i*ld:(i+h-1)*ld+w], ld)
	}
	// Longer rows: block by block, few rows at a time.
	var part [8]float64
	for j := w; j < d; j += maxColumns {
		w := min(d-j, maxColumns)
		for i := 0; i < m; i += len(part) {
			h := min(m-i, len(part))
			squared64(part[:h], x[j:j+w], z[i*ld+j:(i+h-1)*ld+j+w], ld)
			for k, v := range part[:h] {
				dst[i+k] += v
			}
		}
	}
}

// Abs64 writes the L1 distances of x to len(dst) rows of z:
// dst[i] = Σ_j |x[j] − z[i·ld+j]|. It panics if ld < len(x) or z is too
// short.
func Abs64(dst, x, z []float64, ld int) {
	m, d := len(dst), len(x)
	check(m, d, len(z), ld)
	race.Read(x)
	race.Write(dst)
	race.ReadRows(z, len(dst), ld, len(x))
	w := min(d, maxColumns)
	if w == 0 {
		clear(dst)
		return
	}
	step := rowsPerCall(w)
	for i := 0; i < m; i += step {
		h := min(m-i, step)
		abs64(dst[i:i+h], x[:w], z[i*ld:(i+h-1)*ld+w], ld)
	}
	// Longer rows: block by block, few rows at a time.
	var part [8]float64
	for j := w; j < d; j += maxColumns {
		w := min(d-j, maxColumns)
		for i := 0; i < m; i += len(part) {
			h := min(m-i, len(part))
			abs64(part[:h], x[j:j+w], z[i*ld+j:(i+h-1)*ld+j+w], ld)
			for k, v := range part[:h] {
				dst[i+k] += v
			}
		}
	}
}

// Squared32 writes the squared Euclidean distances of x to len(dst) rows of z:
// dst[i] = Σ_j (x[j] − z[i·ld+j])². It panics if ld < len(x) or z is too
// short.
func Squared32(dst, x, z []float32, ld int) {
	m, d := len(dst), len(x)
	check(m, d, len(z), ld)
	race.Read(x)
	race.Write(dst)
	race.ReadRows(z, len(dst), ld, len(x))
	w := min(d, maxColumns)
	if w == 0 {
		clear(dst)
		return
	}
	step := rowsPerCall(w)
	for i := 0; i < m; i += step {
		h := min(m-i, step)
		squared32(dst[i:i+h], x[:w], z[i*ld:(i+h-1)*ld+w], ld)
	}
	// Longer rows: block by block, few rows at a time.
	var part [8]float32
	for j := w; j < d; j += maxColumns {
		w := min(d-j, maxColumns)
		for i := 0; i < m; i += len(part) {
			h := min(m-i, len(part))
			squared32(part[:h], x[j:j+w], z[i*ld+j:(i+h-1)*ld+j+w], ld)
			for k, v := range part[:h] {
				dst[i+k] += v
			}
		}
	}
}

// Abs32 writes the L1 distances of x to len(dst) rows of z:
// dst[i] = Σ_j |x[j] − z[i·ld+j]|. It panics if ld < len(x) or z is too
// short.
func Abs32(dst, x, z []float32, ld int) {
	m, d := len(dst), len(x)
	check(m, d, len(z), ld)
	race.Read(x)
	race.Write(dst)
	race.ReadRows(z, len(dst), ld, len(x))
	w := min(d, maxColumns)
	if w == 0 {
		clear(dst)
		return
	}
	step := rowsPerCall(w)
	for i := 0; i < m; i += step {
		h := min(m-i, step)
		abs32(dst[i:i+h], x[:w], z[i*ld:(i+h-1)*ld+w], ld)
	}
	// Longer rows: block by block, few rows at a time.
	var part [8]float32
	for j := w; j < d; j += maxColumns {
		w := min(d-j, maxColumns)
		for i := 0; i < m; i += len(part) {
			h := min(m-i, len(part))
			abs32(part[:h], x[j:j+w], z[i*ld+j:(i+h-1)*ld+j+w], ld)
			for k, v := range part[:h] {
				dst[i+k] += v
			}
		}
	}
}
