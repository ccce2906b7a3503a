package structured

import "github.com/gramworks/gram/num"

func rangesGeneric[F num.Float](t []F, place []int, x []F, xs, n int, v []F, s, d, width int) {
	for r, p := range place {
		for i := range n {
			row, lo, hi := t[(p*n+i)*s:][:s], r*width, min((r+1)*width, d)
			for j := lo; j < hi; j++ {
				a := x[i*xs+j]
				for l, b := range v[j*s:][:s] {
					row[l] += F(a * b)
				}
			}
		}
	}
}

func splitGeneric[F num.Float](s []F, ss int, d []F, ds int, x, y, v, u []F, n, h int) {
	for g := range n {
		to, diff := s[g*ss:][:h], d[g*ds:][:h]
		v, u := v[g*h:][:h], u[g*h:][:h]
		for i := range to {
			p, q := F(x[i]*v[i]), F(y[i]*u[i])
			to[i], diff[i] = p+q, p-q
		}
	}
}

func addSubGeneric[F num.Float](s, d, a []F, pairs, n int) {
	for r := range pairs {
		for i := range n {
			p, q := a[2*r*n+i], a[(2*r+1)*n+i]
			s[r*n+i], d[r*n+i] = p+q, p-q
		}
	}
}

func transposeGeneric[F num.Float](dst, t []F, ts, rows, cols int) {
	for r := range rows {
		for i, v := range t[r*ts:][:cols] {
			dst[i*rows+r] = v
		}
	}
}

func dealGeneric[F num.Float](a, b, x []F) {
	for i := range a {
		a[i], b[i] = x[2*i], x[2*i+1]
	}
}
