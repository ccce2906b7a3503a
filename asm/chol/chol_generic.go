package chol

import "github.com/gramworks/gram/num"

func rotateGeneric[F num.Float](kind Kind, u []F, stride int, w []F, r *Rotations[F]) {
	n := len(w)
	u0, u1, u2, u3 := u[:n], u[stride:][:n], u[2*stride:][:n], u[3*stride:][:n]
	switch kind {
	case Update:
		for j, x := range w {
			u0[j], x = updateRow(u0[j], x, r.C[0], r.S[0])
			u1[j], x = updateRow(u1[j], x, r.C[1], r.S[1])
			u2[j], x = updateRow(u2[j], x, r.C[2], r.S[2])
			u3[j], w[j] = updateRow(u3[j], x, r.C[3], r.S[3])
		}
	case Downdate:
		for j, x := range w {
			u0[j], x = downdateRow(u0[j], x, r.C[0], r.S[0], r.R[0])
			u1[j], x = downdateRow(u1[j], x, r.C[1], r.S[1], r.R[1])
			u2[j], x = downdateRow(u2[j], x, r.C[2], r.S[2], r.R[2])
			u3[j], w[j] = downdateRow(u3[j], x, r.C[3], r.S[3], r.R[3])
		}
	default:
		for j, x := range w {
			u0[j], x = solveRow(u0[j], x, r.C[0], r.S[0], r.R[0])
			u1[j], x = solveRow(u1[j], x, r.C[1], r.S[1], r.R[1])
			u2[j], x = solveRow(u2[j], x, r.C[2], r.S[2], r.R[2])
			u3[j], w[j] = solveRow(u3[j], x, r.C[3], r.S[3], r.R[3])
		}
	}
}

func rotateLowerGeneric[F num.Float](kind Kind, l []F, stride int, w []F, r *Rotations[F]) {
	for i, x := range w {
		row := l[i*stride:][:4]
		switch kind {
		case Update:
			row[0], x = updateRow(row[0], x, r.C[0], r.S[0])
			row[1], x = updateRow(row[1], x, r.C[1], r.S[1])
			row[2], x = updateRow(row[2], x, r.C[2], r.S[2])
			row[3], x = updateRow(row[3], x, r.C[3], r.S[3])
		case Downdate:
			row[0], x = downdateRow(row[0], x, r.C[0], r.S[0], r.R[0])
			row[1], x = downdateRow(row[1], x, r.C[1], r.S[1], r.R[1])
			row[2], x = downdateRow(row[2], x, r.C[2], r.S[2], r.R[2])
			row[3], x = downdateRow(row[3], x, r.C[3], r.S[3], r.R[3])
		default:
			row[0], x = solveRow(row[0], x, r.C[0], r.S[0], r.R[0])
			row[1], x = solveRow(row[1], x, r.C[1], r.S[1], r.R[1])
			row[2], x = solveRow(row[2], x, r.C[2], r.S[2], r.R[2])
			row[3], x = solveRow(row[3], x, r.C[3], r.S[3], r.R[3])
		}
		w[i] = x
	}
}

// rotatePanelGeneric also serves levels that have no routine for panels.
func rotatePanelGeneric[F num.Float](kind Kind, l []F, stride int, w []F, r []Rotations[F]) {
	for k := range r {
		rotateLower(kind, l[4*k:], stride, w, &r[k])
	}
}

func updateRow[F num.Float](l, w, c, s F) (F, F) {
	return F(c*l) + F(s*w), F(c*w) - F(s*l)
}

func downdateRow[F num.Float](l, w, c, s, r F) (F, F) {
	l = F(l-F(s*w)) * r
	return l, F(c*w) - F(s*l)
}

func solveRow[F num.Float](l, w, c, s, r F) (F, F) {
	w -= F(s * l)
	return F(c*l) + F(r*w), w
}

func sweepGeneric[F num.Float](b []F, n, stride int, w, d, c []F) {
	for i := range n {
		row := b[i*stride:][:len(w)]
		d, c := d[:len(w)], c[:len(w)]
		var sum F
		for j := len(w) - 1; j >= 0; j-- {
			x := row[j]
			row[j] = F(d[j]*x) + F(c[j]*sum)
			sum += F(w[j] * x)
		}
	}
}
