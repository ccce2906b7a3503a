package seeds

import "github.com/gramworks/gram"

func productsGeneric[F gram.Float](t []F, ts int, x []F, xs, n int, v []F, s, w int) {
	for i := range n {
		row := t[i*ts:][:s]
		clear(row)
		for j, a := range x[i*xs:][:w] {
			for l, b := range v[j*s:][:s] {
				row[l] += F(a * b)
			}
		}
	}
}

func splitGeneric[F gram.Float](s, d, x, y, v, u []F) {
	for i := range s {
		p, q := F(x[i]*v[i]), F(y[i]*u[i])
		s[i], d[i] = p+q, p-q
	}
}

func addSubGeneric[F gram.Float](s, d, a, b []F) {
	for i := range s {
		p, q := a[i], b[i]
		s[i], d[i] = p+q, p-q
	}
}
