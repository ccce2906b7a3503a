package main

/*
#include <string.h>

typedef void (*gemm)(const char *, const char *, const int *, const int *, const int *, const double *, const double *, const int *,
	const double *, const int *, const double *, double *, const int *);
typedef void (*potrf)(const char *, const int *, double *, const int *, int *);
typedef void (*potrs)(const char *, const int *, const int *, const double *, const int *, double *, const int *, int *);
typedef void (*getrf)(const int *, const int *, double *, const int *, int *, int *);
typedef void (*getrs)(const char *, const int *, const int *, const double *, const int *, const int *, double *, const int *, int *);
typedef void (*syev)(const char *, const char *, const int *, double *, const int *, double *, double *, const int *, int *);

// The loops are in C, because a call from Go takes longer than a small product.

// manyProducts computes B·A by columns, which is A·B by rows.
static void manyProducts(void *f, int reps, int count, char ta, char tb, double beta, int n, const double *a, const double *b, double *c) {
	double one = 1;
	while (reps-- > 0)
		for (int q = 0; q < count; q++)
			((gemm)f)(&tb, &ta, &n, &n, &n, &one, b + q * n * n, &n, a + q * n * n, &n, &beta, c + q * n * n, &n);
}

static int manySystems(void *factor, void *solve, int reps, int count, int n, const double *a, const double *b, double *u, double *x) {
	int info = 0, one = 1;
	while (reps-- > 0) {
		memcpy(u, a, sizeof(double) * count * n * n);
		memcpy(x, b, sizeof(double) * count * n);
		for (int q = 0; q < count && info == 0; q++) {
			((potrf)factor)("L", &n, u + q * n * n, &n, &info);
			((potrs)solve)("L", &n, &one, u + q * n * n, &n, x + q * n, &n, &info);
		}
	}
	return info;
}

static int manyGeneral(void *factor, void *solve, int reps, int count, int n, const double *a, const double *b, double *u, double *x) {
	int info = 0, one = 1, pivots[32];
	while (reps-- > 0) {
		memcpy(u, a, sizeof(double) * count * n * n);
		memcpy(x, b, sizeof(double) * count * n);
		for (int q = 0; q < count && info == 0; q++) {
			((getrf)factor)(&n, &n, u + q * n * n, &n, pivots, &info);
			((getrs)solve)("T", &n, &one, u + q * n * n, &n, pivots, x + q * n, &n, &info);
		}
	}
	return info;
}

static int manyEigen(void *f, int reps, int count, int n, const double *a, double *v, double *w, double *work, int lwork) {
	int info = 0;
	while (reps-- > 0) {
		memcpy(v, a, sizeof(double) * count * n * n);
		for (int q = 0; q < count && info == 0; q++)
			((syev)f)("V", "L", &n, v + q * n * n, &n, w + q * n, work, &lwork, &info);
	}
	return info;
}
*/
import "C"

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/blas/batch"
	"github.com/gramworks/gram/blas/small"
	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
)

// smallCount is how many matrices of an order are worked on, one after the other: as many as stay in L1 or L2.
func smallCount(n int) int { return max(8, 4096/(n*n)) &^ 7 }

// smallProblem holds definite matrices of one order and what is computed from them.
type smallProblem struct {
	n, count         int
	a, b, g, x       []float64 // matrices, other matrices, matrices that are not definite, right sides
	c, u, y, w, work []float64
	pivots           []int
}

func newSmallProblem(n int) *smallProblem {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	k := smallCount(n)
	p := &smallProblem{n: n, count: k, a: make([]float64, k*n*n), x: make([]float64, k*n)}
	for q := range k {
		m := p.a[q*n*n:]
		for i := range n {
			for j := range i {
				m[i*n+j] = r.NormFloat64()
				m[j*n+i] = m[i*n+j]
			}
			m[i*n+i] = 4*float64(n) + r.Float64()
		}
	}
	for i := range p.x {
		p.x[i] = r.NormFloat64()
	}
	p.g, p.pivots = make([]float64, k*n*n), make([]int, k*n)
	for i := range p.g {
		p.g[i] = r.NormFloat64()
	}
	p.b, p.c, p.u = slices.Clone(p.a), make([]float64, k*n*n), make([]float64, k*n*n)
	p.y, p.w, p.work = make([]float64, k*n), make([]float64, k*n), make([]float64, 64*n+64)
	return p
}

// matrices returns data as a batch of the problem's matrices with cols columns.
func (p *smallProblem) matrices(data []float64, cols int) batch.Matrices {
	return batch.Matrices{Count: p.count, Rows: p.n, Cols: cols, Stride: cols, Step: p.n * cols, Data: data}
}

// A productForm says which factors of products are transposed, and by what C is multiplied.
type productForm struct {
	name   string
	tA, tB gblas.Transpose
	beta   float64
}

// plain is the form C = A·B, the only one that is measured with a plan and batches too.
var plain = productForm{"gemm", gblas.NoTrans, gblas.NoTrans, 0}

// otherForms are those that the interface alone is measured with.
var otherForms = []productForm{
	{"gemm added", gblas.NoTrans, gblas.NoTrans, 1},
	{"gemm A'B", gblas.Trans, gblas.NoTrans, 0},
	{"gemm AB'", gblas.NoTrans, gblas.Trans, 0},
	{"gemm A'B'", gblas.Trans, gblas.Trans, 0},
}

// products returns the products on a backend, as gonum's interface calls them.
func (p *smallProblem) products(on blas.Backend, form productForm) func() {
	f, n := on.Float64(), p.n
	return func() {
		for q := range p.count {
			f.Dgemm(form.tA, form.tB, n, n, n, 1, p.a[q*n*n:], n, p.b[q*n*n:], n, form.beta, p.c[q*n*n:], n)
		}
	}
}

// systems returns Cholesky factors and solutions on a backend.
func (p *smallProblem) systems(on blas.Backend) func() {
	l, n := on.Lapack(), p.n
	return func() {
		copy(p.u, p.a)
		copy(p.y, p.x)
		for q := range p.count {
			if !l.Dpotrf(gblas.Upper, n, p.u[q*n*n:], n) {
				panic("no factor")
			}
			l.Dpotrs(gblas.Upper, n, 1, p.u[q*n*n:], n, p.y[q*n:], 1)
		}
	}
}

// general returns LU factors and solutions on a backend.
func (p *smallProblem) general(on blas.Backend) func() {
	l, n := on.Lapack(), p.n
	return func() {
		copy(p.u, p.g)
		copy(p.y, p.x)
		for q := range p.count {
			if !l.Dgetrf(n, n, p.u[q*n*n:], n, p.pivots[q*n:][:n]) {
				panic("no factors")
			}
			l.Dgetrs(gblas.NoTrans, n, 1, p.u[q*n*n:], n, p.pivots[q*n:][:n], p.y[q*n:], 1)
		}
	}
}

// eigen returns a function that computes the eigenvalues and eigenvectors of all matrices on a backend.
func (p *smallProblem) eigen(on blas.Backend) func() {
	l, n := on.Lapack(), p.n
	return func() {
		copy(p.u, p.a)
		for q := range p.count {
			if !l.Dsyev(lapack.EVCompute, gblas.Upper, n, p.u[q*n*n:], n, p.w[q*n:], p.work, len(p.work)) {
				panic("no eigenvalues")
			}
		}
	}
}

// values returns eigenpairs by package small, which has them of two to four rows; nil for others.
func (p *smallProblem) values() func() {
	var one func(a []float64) (err error)
	switch p.n {
	case 2:
		one = func(a []float64) (err error) {
			_, _, err = small.EigenSym2([2][2]float64{{a[0], a[1]}, {a[2], a[3]}})
			return err
		}
	case 3:
		one = func(a []float64) (err error) {
			_, _, err = small.EigenSym3([3][3]float64{[3]float64(a), [3]float64(a[3:]), [3]float64(a[6:])})
			return err
		}
	case 4:
		one = func(a []float64) (err error) {
			_, _, err = small.EigenSym4([4][4]float64{[4]float64(a), [4]float64(a[4:]), [4]float64(a[8:]), [4]float64(a[12:])})
			return err
		}
	default:
		return nil
	}
	return func() {
		for q := range p.count {
			if err := one(p.a[q*p.n*p.n:]); err != nil {
				panic(err)
			}
		}
	}
}

// repeated is a contestant that does its work reps times.
func repeated(work func()) contestant {
	return func(reps int) {
		for range reps {
			work()
		}
	}
}

// solved ends the program if OpenBLAS could not solve a problem that has a solution.
func solved(info C.int) {
	if info != 0 {
		panic(fmt.Sprint("OpenBLAS: info ", info))
	}
}

// none ends the program if err is not nil: a routine of this module could not solve a problem that has a solution.
func none(err error) {
	if err != nil {
		panic(err)
	}
}

// compareSmall compares products, systems with positive definite matrices and symmetric eigenproblems of 1 to 32 rows with
// OpenBLAS, in a loop in C, and with gonum. Times are for one matrix. Batches are compared with the same loops.
func compareSmall(o options) ([]*bench.Peers, error) {
	lib := &library{path: o.small}
	set, name, config := lib.symbol("openblas_set_num_threads"), lib.symbol("openblas_get_corename"), lib.symbol("openblas_get_config")
	gemm, potrf, potrs, syev := lib.symbol("dgemm_"), lib.symbol("dpotrf_"), lib.symbol("dpotrs_"), lib.symbol("dsyev_")
	getrf, getrs := lib.symbol("dgetrf_"), lib.symbol("dgetrs_")
	if lib.err != nil {
		return nil, lib.err
	}
	version, build, err := o.describe(set, name, config)
	if err != nil {
		return nil, err
	}
	open, pure := o.peer("OpenBLAS, small matrices", version, build), o.peer("gonum, small matrices", "", "Go")
	for _, n := range []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32} {
		p := newSmallProblem(n)
		count, order := C.int(p.count), C.int(n)
		plan := blas.NewPlan[float64](gblas.NoTrans, gblas.NoTrans, n, n, n)
		type comparison struct {
			name   string
			ours   []func() // through gonum's interface, by a plan, as a batch, by package small; nil where there is none
			theirs contestant
			gonum  func()
		}
		theirs := func(form productForm) contestant {
			return func(reps int) {
				clear(p.c)
				C.manyProducts(gemm, C.int(reps), count, C.char(form.tA), C.char(form.tB), C.double(form.beta), order, double(p.a), double(p.b), double(p.c))
			}
		}
		all := []comparison{
			{plain.name, []func(){p.products(blas.Native, plain), func() {
				for q := range p.count {
					plan.Mul(1, p.a[q*n*n:], n, p.b[q*n*n:], n, 0, p.c[q*n*n:], n)
				}
			}, func() {
				batch.Mul(gblas.NoTrans, gblas.NoTrans, 1, p.matrices(p.a, n), p.matrices(p.b, n), 0, p.matrices(p.c, n))
			}}, theirs(plain), p.products(blas.Gonum, plain)},
			{"cholesky solve", []func(){p.systems(blas.Native), nil, func() {
				copy(p.u, p.a)
				copy(p.y, p.x)
				none(batch.Cholesky(p.matrices(p.u, n)))
				batch.Solve(p.matrices(p.u, n), p.matrices(p.y, 1))
			}}, func(reps int) {
				solved(C.manySystems(potrf, potrs, C.int(reps), count, order, double(p.a), double(p.x), double(p.u), double(p.y)))
			}, p.systems(blas.Gonum)},
			{"lu solve", []func(){p.general(blas.Native), nil, func() {
				copy(p.u, p.g)
				copy(p.y, p.x)
				none(batch.LU(p.matrices(p.u, n), p.pivots))
				batch.SolveLU(p.matrices(p.u, n), p.pivots, p.matrices(p.y, 1))
			}}, func(reps int) {
				solved(C.manyGeneral(getrf, getrs, C.int(reps), count, order, double(p.g), double(p.x), double(p.u), double(p.y)))
			}, p.general(blas.Gonum)},
			{"eigen sym", []func(){p.eigen(blas.Native), nil, func() {
				none(batch.EigenSym(p.matrices(p.a, n), p.w, p.matrices(p.u, n)))
			}, p.values()}, func(reps int) {
				solved(C.manyEigen(syev, C.int(reps), count, order, double(p.a), double(p.u), double(p.w), double(p.work), C.int(len(p.work))))
			}, p.eigen(blas.Gonum)},
		}
		for _, form := range otherForms {
			all = append(all, comparison{form.name, []func(){p.products(blas.Native, form)}, theirs(form), p.products(blas.Gonum, form)})
		}
		for _, w := range all {
			for i, ours := range w.ours {
				work := w.name + []string{"", " plan", " batch", " small"}[i]
				if ours == nil || o.work != "" && o.work != work {
					continue
				}
				t, ratio := race(o, repeated(ours), w.theirs, repeated(w.gonum))
				each := float64(p.count)
				o.add(open, work, "float64", fmt.Sprint(n), t[0]/each, t[1]/each, ratio[1], "")
				o.add(pure, work, "float64", fmt.Sprint(n), t[0]/each, t[2]/each, ratio[2], "")
			}
		}
	}
	return []*bench.Peers{open, pure}, nil
}
