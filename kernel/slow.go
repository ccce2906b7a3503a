package kernel

import "github.com/gramworks/gram"

// The paths of kernels that are known by Eval alone, and of precomputed ones.

// pairRows is the number of rows that one goroutine works on at a time.
const pairRows = 16

// eachRow calls use with the values of every row of x against Z, for blocks of
// rows at a time in any order and for the rows of a block in ascending order.
func (b *Block[F]) eachRow(x gram.Samples[F], use func(i int, values []float64)) {
	b.each(x.N(), pairRows, func(lo, hi int) {
		w := b.get()
		defer b.put(w)
		b.pairs(w, x, lo, hi, use)
	})
}

// pairs is eachRow for rows lo … hi−1.
func (b *Block[F]) pairs(w *workspace[F], x gram.Samples[F], lo, hi int, use func(i int, values []float64)) {
	w.x64, w.wide = grow(w.x64, b.d), grow(w.wide, b.m)
	for i := lo; i < hi; i++ {
		x.CopyRow(w.x64, i)
		for j := range w.wide {
			w.wide[j] = b.kernel.Eval(w.x64, b.shared.rows.Row(j))
		}
		use(i, w.wide)
	}
}

func (b *Block[F]) fillPairs(dst gram.Rows[F], x gram.Samples[F]) {
	b.eachRow(x, func(i int, values []float64) {
		row := dst.Row(i)
		for j, v := range values {
			row[j] = F(v)
		}
	})
}

func (b *Block[F]) mulPairs(dst gram.Rows[F], x gram.Samples[F], v gram.Rows[F]) {
	b.eachRow(x, func(i int, values []float64) { products(dst.Row(i), values, v) })
}

// products sets row = values·V.
func products[F gram.Float](row []F, values []float64, v gram.Rows[F]) {
	for c := range row {
		var sum float64
		for j, k := range values {
			sum += k * float64(v.Data[j*v.Stride+c])
		}
		row[c] = F(sum)
	}
}

// mulTPairs works on a few rows of Z at a time, so that no sums of different
// goroutines have to be joined.
func (b *Block[F]) mulTPairs(dst gram.Rows[F], x gram.Samples[F], v gram.Rows[F]) {
	b.each(b.m, pairRows, func(lo, hi int) {
		row := make([]float64, b.d)
		sums := make([]float64, (hi-lo)*v.D)
		for i := range x.N() {
			x.CopyRow(row, i)
			for j := lo; j < hi; j++ {
				k := b.kernel.Eval(row, b.shared.rows.Row(j))
				sum := sums[(j-lo)*v.D:][:v.D]
				for c, u := range v.Row(i) {
					sum[c] += k * float64(u)
				}
			}
		}
		for j := lo; j < hi; j++ {
			out := dst.Row(j)
			for c := range out {
				out[c] = F(sums[(j-lo)*v.D+c])
			}
		}
	})
}

// eachColumn calls use with the values of all rows of x against row j of Z.
func (b *Block[F]) eachColumn(workers int, x gram.Samples[F], use func(j int, values []float64)) {
	k := b.kernel.(*Precomputed)
	index := make([]int, x.N())
	row := make([]float64, 1)
	for i := range index {
		x.CopyRow(row, i)
		index[i] = k.index(row[0])
	}
	b.Limit(workers).each(b.m, 1, func(j, _ int) {
		col, values := make([]float64, k.n), make([]float64, x.N())
		k.column(col, k.index(b.shared.rows.Row(j)[0]))
		for i, at := range index {
			values[i] = col[at]
		}
		use(j, values)
	})
}

func (b *Block[F]) fillColumns(dst gram.Rows[F], x gram.Samples[F]) {
	b.eachColumn(b.workers, x, func(j int, values []float64) {
		for i, v := range values {
			dst.Data[i*dst.Stride+j] = F(v)
		}
	})
}

func (b *Block[F]) mulColumns(dst gram.Rows[F], x gram.Samples[F], v gram.Rows[F]) {
	sums := make([]float64, x.N()*v.D)
	b.eachColumn(1, x, func(j int, values []float64) {
		for i, k := range values {
			for c, u := range v.Row(j) {
				sums[i*v.D+c] += k * float64(u)
			}
		}
	})
	for i := range x.N() {
		out := dst.Row(i)
		for c := range out {
			out[c] = F(sums[i*v.D+c])
		}
	}
}

func (b *Block[F]) mulTColumns(dst gram.Rows[F], x gram.Samples[F], v gram.Rows[F]) {
	b.eachColumn(b.workers, x, func(j int, values []float64) {
		out := dst.Row(j)
		for c := range out {
			var sum float64
			for i, k := range values {
				sum += k * float64(v.Data[i*v.Stride+c])
			}
			out[c] = F(sum)
		}
	})
}
