package panel

import (
	"math"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"
)

// TestGaussSums compares the sums of both sides with those of values in float64, for
// every number of columns, with canaries around all that is written.
func TestGaussSums(t *testing.T) { both(t, gaussSumsTest[float64], gaussSumsTest[float32]) }

func gaussSumsTest[F num.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rng.New(21, 0)
		u := asmtest.Epsilon[F]() / 2
		for _, cols := range asmtest.Lengths(Cols[F]()/2, 200) {
			for _, rows := range []int{1, 3, 12} {
				lds := cols + 1
				s, v, w := asmtest.Normal[F](r, rows*lds), asmtest.Normal[F](r, cols), asmtest.Normal[F](r, rows)
				xn, zn := asmtest.Normal[F](r, rows), asmtest.Normal[F](r, cols)
				strip := asmtest.NewCanary[F](rows*lds, 1, cols%8)
				strip.Set(s)
				for i := range xn {
					xn[i] = 4 + xn[i]/4
				}
				for j := range zn {
					zn[j] = 4 + zn[j]/4
				}
				wantRow, wantCol := make([]float64, rows), make([]float64, cols)
				sizeRow, sizeCol := make([]float64, rows), make([]float64, cols)
				const gamma = .3
				for i := range rows {
					for j := range cols {
						norms := float64(xn[i]) + float64(zn[j])
						k := math.Exp(-float64(F(gamma)) * max(0, norms-2*float64(s[i*lds+j])))
						e := gaussSumsError(u, gamma, norms+2*math.Abs(float64(s[i*lds+j])))
						a, b := k*float64(v[j]), k*float64(w[i])
						wantRow[i] += a
						wantCol[j] += b
						sizeRow[i] += math.Abs(a) * (float64(cols+2)*u + e)
						sizeCol[j] += math.Abs(b) * (float64(rows+2)*u + e)
					}
				}
				row, col := asmtest.NewCanary[F](rows, 1, cols%8), asmtest.NewCanary[F](cols, 1, rows%8)
				startRow, startCol := asmtest.Normal[F](r, rows), asmtest.Normal[F](r, cols)
				row.Set(startRow)
				col.Set(startCol)
				GaussSums(row.Slice(), col.Slice(), strip.Slice(), lds, xn, zn, v, w, rows, cols, gamma)
				row.Check(t)
				col.Check(t)
				strip.Check(t)
				for i, k := range strip.Get() {
					if inside := i%lds < cols; !(k >= 0 && k <= 1 || !inside && k == s[i]) {
						t.Fatalf("%d×%d: %v becomes %v", rows, cols, s[i], k)
					}
				}
				for i, got := range row.Get() {
					if want := float64(startRow[i]) + wantRow[i]; !(math.Abs(float64(got)-want) <= sizeRow[i]+3*u*math.Abs(float64(startRow[i]))) {
						t.Fatalf("%d×%d: sum of row %d is %v, want %v ± %g", rows, cols, i, got, want, sizeRow[i])
					}
				}
				for j, got := range col.Get() {
					if want := float64(startCol[j]) + wantCol[j]; !(math.Abs(float64(got)-want) <= sizeCol[j]+float64(rows+2)*u*math.Abs(float64(startCol[j]))) {
						t.Fatalf("%d×%d: sum of column %d is %v, want %v ± %g", rows, cols, j, got, want, sizeCol[j])
					}
				}
			}
		}
	})
}

// gaussSumsError is the bound of the relative error of a value that doc.go states, for
// the sum of the sizes of what makes up the distance.
func gaussSumsError(u, gamma, size float64) float64 { return 4*u*gamma*size + 3*u }

// TestGaussSumsValues checks single values against many digits, from 1 to below the
// normal numbers, and that NaN and infinities reach only their own sums.
func TestGaussSumsValues(t *testing.T) {
	both(t, gaussSumsValues[float64], gaussSumsValues[float32])
}

func gaussSumsValues[F num.Float](t *testing.T) {
	end, least := 1022*math.Ln2, 0x1p-1022
	if Cols[F]() == 32 {
		end, least = 126*math.Ln2, 0x1p-126
	}
	value := func(a, xn, zn, gamma F) float64 {
		s, row, col := []F{a}, make([]F, 1), make([]F, 1)
		GaussSums(row, col, s, 1, []F{xn}, []F{zn}, []F{1}, []F{1}, 1, 1, gamma)
		if !asmtest.Same(row[0], col[0]) || !asmtest.Same(row[0], s[0]) {
			t.Fatalf("the row's sum is %v, the column's %v, the value %v", row[0], col[0], s[0])
		}
		return float64(row[0])
	}
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r, u := rng.New(22, 0), asmtest.Epsilon[F]()/2
		worst := 0.0
		for range 400 {
			gamma := F(math.Pow(10, 4*r.Float64()-2))
			at := r.Float64() * math.Pow(10, -6*r.Float64()) * end
			d := F(at / float64(gamma)) // the distance, as −2·s or as norms
			for i, got := range []float64{value(-d/2, 0, 0, gamma), value(0, d, 0, gamma), value(0, 0, d, gamma)} {
				want, _ := bigExp(-float64(gamma), float64(d)).Float64()
				e := math.Abs(got-want) / want
				worst = max(worst, e/gaussSumsError(u, float64(gamma), float64(d)))
				if !(e <= gaussSumsError(u, float64(gamma), float64(d))) || !(got <= 1) {
					t.Fatalf("exp(−%v·%v) is %v, want %v (%d)", gamma, d, got, want, i)
				}
			}
		}
		t.Logf("%.2f of the bound", worst)
		for _, far := range []float64{2 * end, 1e30, math.Inf(1)} {
			if got := value(0, F(far), 0, 1); !(got >= 0 && got <= least) {
				t.Errorf("exp(−%v) is %v", far, got)
			}
		}
		if got := value(1, 1, 1, 2); got != 1 {
			t.Errorf("exp(0) is %v", got)
		}
		if got := value(3, 1, 1, 2); got != 1 {
			t.Errorf("the value of a negative distance is %v", got)
		}
		const rows = 3
		cols := Cols[F]() + 7
		for at := range rows * cols {
			s, row, col := make([]F, rows*cols), make([]F, rows), make([]F, cols)
			s[at] = F(math.NaN())
			GaussSums(row, col, s, cols, make([]F, rows), make([]F, cols), make([]F, cols), make([]F, rows), rows, cols, 1)
			for i, got := range row {
				if (got != got) != (i == at/cols) {
					t.Fatalf("NaN at %d: row %d is %v", at, i, got)
				}
			}
			for j, got := range col {
				if (got != got) != (j == at%cols) {
					t.Fatalf("NaN at %d: column %d is %v", at, j, got)
				}
			}
		}
	})
}

// TestGaussSumsGuards puts every operand beside pages without access.
func TestGaussSumsGuards(t *testing.T) { both(t, gaussSumsGuards[float64], gaussSumsGuards[float32]) }

func gaussSumsGuards[F num.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, cols := range asmtest.Lengths(Cols[F]() / 2) {
			asmtest.Guarded(t, 2*cols, func(s []F) {
				asmtest.Guarded(t, cols, func(a []F) {
					b, two := make([]F, cols), make([]F, 2)
					GaussSums(two, a, s, cols, two, b, b, two, 2, cols, 1)
					GaussSums(two, b, s, cols, two, a, b, two, 2, cols, 1)
					GaussSums(two, b, s, cols, two, b, a, two, 2, cols, 1)
				})
			})
		}
	})
}
