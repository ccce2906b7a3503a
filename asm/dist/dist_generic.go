package dist

import "github.com/gramworks/gram/num"

func squaredGeneric[F num.Float](dst, x, z []F, ld int) {
	for i := range dst {
		row := z[i*ld:][:len(x)]
		var s0, s1 F // one sum would wait for each addition
		j := 0
		for ; j+1 < len(row); j += 2 {
			a, b := x[j]-row[j], x[j+1]-row[j+1]
			s0 += F(a * a)
			s1 += F(b * b)
		}
		if j < len(row) {
			a := x[j] - row[j]
			s0 += F(a * a)
		}
		dst[i] = s0 + s1
	}
}

func absGeneric[F num.Float](dst, x, z []F, ld int) {
	for i := range dst {
		row := z[i*ld:][:len(x)]
		var s0, s1 F
		j := 0
		for ; j+1 < len(row); j += 2 {
			s0 += abs(x[j] - row[j])
			s1 += abs(x[j+1] - row[j+1])
		}
		if j < len(row) {
			s0 += abs(x[j] - row[j])
		}
		dst[i] = s0 + s1
	}
}

func abs[F num.Float](v F) F { return max(v, -v) }
