package main

/*
typedef void (*threads)(int);
typedef char *(*name)(void);
typedef void (*gemm)(const char *, const char *, const int *, const int *, const int *, const double *, const double *, const int *,
	const double *, const int *, const double *, double *, const int *);
typedef void (*gesdd)(const char *, const int *, const int *, double *, const int *, double *, double *, const int *, double *, const int *,
	double *, const int *, int *, int *);
typedef void (*geev)(const char *, const char *, const int *, double *, const int *, double *, double *, double *, const int *, double *,
	const int *, double *, const int *, int *);
typedef void (*syevd)(const char *, const char *, const int *, double *, const int *, double *, double *, const int *, int *, const int *, int *);
typedef void (*getrf)(const int *, const int *, double *, const int *, int *, int *);
typedef void (*getrs)(const char *, const int *, const int *, const double *, const int *, const int *, double *, const int *, int *);
typedef void (*getri)(const int *, double *, const int *, const int *, double *, const int *, int *);
typedef void (*geqrf)(const int *, const int *, double *, const int *, double *, double *, const int *, int *);
typedef void (*potrf)(const char *, const int *, double *, const int *, int *);

static void setThreads(void *f, int n) { ((threads)f)(n); }
static char *text(void *f) { return ((name)f)(); }

static int peerGemm(void *f, int n, double *a, double *b, double *c) {
	double one = 1, zero = 0;
	((gemm)f)("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
	return 0;
}

static int peerSVD(void *f, int m, int n, int vectors, double *a, double *s, double *u, double *vt, double *work, int lwork, int *iwork) {
	int info = 0, k = m < n ? m : n;
	((gesdd)f)(vectors ? "S" : "N", &m, &n, a, &m, s, u, &m, vt, &k, work, &lwork, iwork, &info);
	return info;
}

static int peerEigen(void *f, int n, int vectors, double *a, double *wr, double *wi, double *v, double *work, int lwork) {
	int info = 0, one = 1;
	((geev)f)("N", vectors ? "V" : "N", &n, a, &n, wr, wi, work, &one, v, &n, work, &lwork, &info);
	return info;
}

static int peerSym(void *f, int n, double *a, double *w, double *work, int lwork, int *iwork, int liwork) {
	int info = 0;
	((syevd)f)("V", "L", &n, a, &n, w, work, &lwork, iwork, &liwork, &info);
	return info;
}

static int peerLU(void *f, int n, double *a, int *ipiv) {
	int info = 0;
	((getrf)f)(&n, &n, a, &n, ipiv, &info);
	return info;
}

static int peerSolve(void *f, int n, int nrhs, double *a, int *ipiv, double *b) {
	int info = 0;
	((getrs)f)("N", &n, &nrhs, a, &n, ipiv, b, &n, &info);
	return info;
}

static int peerInverse(void *f, int n, double *a, int *ipiv, double *work, int lwork) {
	int info = 0;
	((getri)f)(&n, a, &n, ipiv, work, &lwork, &info);
	return info;
}

static int peerQR(void *f, int m, int n, double *a, double *tau, double *work, int lwork) {
	int info = 0;
	((geqrf)f)(&m, &n, a, &m, tau, work, &lwork, &info);
	return info;
}

static int peerCholesky(void *f, int n, double *a) {
	int info = 0;
	((potrf)f)("L", &n, a, &n, &info);
	return info;
}
*/
import "C"

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"unsafe"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/blas"
	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
)

// library is the shared object of OpenBLAS at path, opened when a symbol is looked up. err is the first error of a look-up.
type library struct {
	path string
	err  error
}

func (l *library) symbol(name string) unsafe.Pointer {
	f, err := symbol(l.path, name)
	if err != nil && l.err == nil {
		l.err = err
	}
	return f
}

func double(x []float64) *C.double { return (*C.double)(unsafe.Pointer(unsafe.SliceData(x))) }
func integer(x []int32) *C.int     { return (*C.int)(unsafe.Pointer(unsafe.SliceData(x))) }

// factorization is a kind of work on an n×n matrix that both do.
type factorization struct {
	name  string
	sizes []int
	// bind returns our work and theirs on a copy of a matrix each.
	bind func(n int) (ours, theirs func())
}

// compareFactors compares factorizations for each order. Both start from a copy of the same matrix; that
// of OpenBLAS is taken as stored by columns, so that nothing is transposed.
func compareFactors(o options) ([]*bench.Peers, error) {
	lib := &library{path: o.openblas}
	blas.SetThreads(runtime.GOMAXPROCS(0))
	set, name := lib.symbol("openblas_set_num_threads"), lib.symbol("openblas_get_corename")
	config := lib.symbol("openblas_get_config")
	all := factorizations(lib)
	if lib.err != nil {
		return nil, lib.err
	}
	version, build, err := o.describe(set, name, config)
	if err != nil {
		return nil, err
	}
	p := o.peer("OpenBLAS", version, build)
	for _, f := range all {
		for _, n := range f.sizes {
			if o.work != "" && f.name != o.work || n > 1<<o.max || n < 1<<o.min {
				continue
			}
			ours, theirs := f.bind(n)
			repeat := func(work func()) contestant {
				return func(reps int) {
					for range reps {
						work()
					}
				}
			}
			t, ratio := race(o, repeat(ours), repeat(theirs))
			o.add(p, f.name, "float64", fmt.Sprint(n), t[0], t[1], ratio[1], "")
		}
	}
	return []*bench.Peers{p}, nil
}

// describe sets the number of OpenBLAS's threads and returns its version and the kernels it has chosen.
func (o options) describe(set, name, config unsafe.Pointer) (version, build string, err error) {
	if build, err = o.built(set); err != nil {
		return "", "", err
	}
	C.setThreads(set, C.int(runtime.GOMAXPROCS(0)))
	version = strings.Fields(C.GoString(C.text(config)) + " ? ?")[1] // after the name
	kernels := C.GoString(C.text(name))
	if kernels == "Prescott" && cpu.Detected() >= cpu.AVX2 {
		return "", "", errors.New("OpenBLAS does not know this CPU and would run its kernels of SSE3: OPENBLAS_CORETYPE=SkylakeX or Haswell chooses those of AVX-512 or AVX2")
	}
	return version, fmt.Sprintf("kernels of %s, %s", kernels, build), nil
}

func factorizations(lib *library) []factorization {
	return append(spectra(lib), triangles(lib)...)
}

// normal returns n random numbers; those of the same n are the same.
func normal(n int) []float64 {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	a := make([]float64, n)
	for i := range a {
		a[i] = r.NormFloat64()
	}
	return a
}

// definite returns a symmetric positive definite matrix of order n.
func definite(n int) []float64 {
	a := normal(n * n)
	for i := range n {
		for j := range i {
			a[i*n+j] = a[j*n+i]
		}
		a[i*n+i] = 4 * math.Sqrt(float64(n))
	}
	return a
}

// succeed panics if info, which the routine of that name has returned, is not zero.
func succeed(routine string, info C.int) {
	if info != 0 {
		panic(fmt.Sprintf("%s: info %d", routine, info))
	}
}

func ensure(ok bool) {
	if !ok {
		panic("no factorization")
	}
}

// spectra returns the factorizations with singular values or eigenvalues.
func spectra(lib *library) []factorization {
	l := blas.Native.Lapack()
	gesdd, geev, syevd := lib.symbol("dgesdd_"), lib.symbol("dgeev_"), lib.symbol("dsyevd_")
	svd := func(tall int, job lapack.SVDJob) func(n int) (ours, theirs func()) {
		return func(n int) (ours, theirs func()) {
			m := n * tall
			a := normal(m * n)
			x, s, u, vt := make([]float64, m*n), make([]float64, n), make([]float64, m*n), make([]float64, n*n)
			size := make([]float64, 1)
			l.Dgesvd(job, job, m, n, x, n, s, u, n, vt, n, size, -1)
			work := make([]float64, int(size[0]))
			y, big, small := make([]float64, m*n), make([]float64, 8*n*n+100*m), make([]int32, 8*n)
			vectors := C.int(0)
			if job != lapack.SVDNone {
				vectors = 1
			}
			return func() {
					copy(x, a)
					ensure(l.Dgesvd(job, job, m, n, x, n, s, u, n, vt, n, work, len(work)))
				}, func() {
					copy(y, a)
					succeed("dgesdd", C.peerSVD(gesdd, C.int(n), C.int(m), vectors, double(y), double(s), double(vt), double(u), double(big), C.int(len(big)), integer(small)))
				}
		}
	}
	eigen := func(job lapack.RightEVJob) func(n int) (ours, theirs func()) {
		return func(n int) (ours, theirs func()) {
			a := normal(n * n)
			x, y, wr, wi, v := make([]float64, n*n), make([]float64, n*n), make([]float64, n), make([]float64, n), make([]float64, n*n)
			size := make([]float64, 1)
			l.Dgeev(lapack.LeftEVNone, job, n, x, n, wr, wi, nil, 1, v, n, size, -1)
			work, big := make([]float64, int(size[0])), make([]float64, 100*n)
			vectors := C.int(0)
			if job == lapack.RightEVCompute {
				vectors = 1
			}
			return func() {
					copy(x, a)
					ensure(l.Dgeev(lapack.LeftEVNone, job, n, x, n, wr, wi, nil, 1, v, n, work, len(work)) == 0)
				}, func() {
					copy(y, a)
					succeed("dgeev", C.peerEigen(geev, C.int(n), vectors, double(y), double(wr), double(wi), double(v), double(big), C.int(len(big))))
				}
		}
	}
	return []factorization{
		{"svd", []int{64, 256, 512, 1024}, svd(1, lapack.SVDStore)},
		{"svd values", []int{64, 256, 512, 1024}, svd(1, lapack.SVDNone)},
		{"svd 4n×n", []int{64, 256}, svd(4, lapack.SVDStore)},
		{"eigen", []int{64, 300, 512}, eigen(lapack.RightEVCompute)},
		{"eigenvalues", []int{64, 300, 512}, eigen(lapack.RightEVNone)},
		{"eigen sym", []int{64, 256, 512, 1000}, func(n int) (ours, theirs func()) {
			a := definite(n)
			x, y, w, work := make([]float64, n*n), make([]float64, n*n), make([]float64, n), make([]float64, 40*n)
			big, small := make([]float64, 1+6*n+2*n*n), make([]int32, 3+5*n)
			return func() {
					copy(x, a)
					ensure(l.Dsyev(lapack.EVCompute, gblas.Upper, n, x, n, w, work, len(work)))
				}, func() {
					copy(y, a)
					succeed("dsyevd", C.peerSym(syevd, C.int(n), double(y), double(w), double(big), C.int(len(big)), integer(small), C.int(len(small))))
				}
		}},
	}
}

// triangles returns the factorizations with triangles, what is solved with them, and the product of matrices.
func triangles(lib *library) []factorization {
	l, f := blas.Native.Lapack(), blas.Native.Float64()
	getrf, getrs, getri := lib.symbol("dgetrf_"), lib.symbol("dgetrs_"), lib.symbol("dgetri_")
	geqrf, potrf, gemm := lib.symbol("dgeqrf_"), lib.symbol("dpotrf_"), lib.symbol("dgemm_")
	return []factorization{
		{"lu", []int{16, 64, 256, 512, 1000}, func(n int) (ours, theirs func()) {
			a := normal(n * n)
			x, y, ours1, theirs1 := make([]float64, n*n), make([]float64, n*n), make([]int, n), make([]int32, n)
			return func() {
					copy(x, a)
					ensure(l.Dgetrf(n, n, x, n, ours1))
				}, func() {
					copy(y, a)
					succeed("dgetrf", C.peerLU(getrf, C.int(n), double(y), integer(theirs1)))
				}
		}},
		{"lu solve", []int{64, 512}, func(n int) (ours, theirs func()) {
			a, b := normal(n*n), normal(n)
			x, y, z, ours1, theirs1 := make([]float64, n*n), make([]float64, n*n), make([]float64, n), make([]int, n), make([]int32, n)
			return func() {
					copy(x, a)
					copy(z, b)
					ensure(l.Dgetrf(n, n, x, n, ours1))
					l.Dgetrs(gblas.NoTrans, n, 1, x, n, ours1, z, 1)
				}, func() {
					copy(y, a)
					copy(z, b)
					succeed("dgetrf", C.peerLU(getrf, C.int(n), double(y), integer(theirs1)))
					succeed("dgetrs", C.peerSolve(getrs, C.int(n), 1, double(y), integer(theirs1), double(z)))
				}
		}},
		{"inverse", []int{64, 600}, func(n int) (ours, theirs func()) {
			a := normal(n * n)
			x, y, work, ours1, theirs1 := make([]float64, n*n), make([]float64, n*n), make([]float64, 64*n), make([]int, n), make([]int32, n)
			return func() {
					copy(x, a)
					ensure(l.Dgetrf(n, n, x, n, ours1))
					ensure(l.Dgetri(n, x, n, ours1, work, len(work)))
				}, func() {
					copy(y, a)
					succeed("dgetrf", C.peerLU(getrf, C.int(n), double(y), integer(theirs1)))
					succeed("dgetri", C.peerInverse(getri, C.int(n), double(y), integer(theirs1), double(work), C.int(len(work))))
				}
		}},
		{"qr", []int{64, 256, 600}, func(n int) (ours, theirs func()) {
			a := normal(n * n)
			x, y, tau, work := make([]float64, n*n), make([]float64, n*n), make([]float64, n), make([]float64, 64*n)
			return func() {
					copy(x, a)
					l.Dgeqrf(n, n, x, n, tau, work, len(work))
				}, func() {
					copy(y, a)
					succeed("dgeqrf", C.peerQR(geqrf, C.int(n), C.int(n), double(y), double(tau), double(work), C.int(len(work))))
				}
		}},
		{"cholesky", []int{16, 32, 64, 128, 256, 512, 1000}, func(n int) (ours, theirs func()) {
			a := definite(n)
			x, y := make([]float64, n*n), make([]float64, n*n)
			return func() {
					copy(x, a)
					ensure(l.Dpotrf(gblas.Upper, n, x, n))
				}, func() {
					copy(y, a)
					succeed("dpotrf", C.peerCholesky(potrf, C.int(n), double(y)))
				}
		}},
		{"gemm", []int{8, 16, 32, 64, 128, 256, 500, 1000}, func(n int) (ours, theirs func()) {
			a, b, x, y := normal(n*n), normal(n*n), make([]float64, n*n), make([]float64, n*n)
			return func() { f.Dgemm(gblas.NoTrans, gblas.NoTrans, n, n, n, 1, a, n, b, n, 0, x, n) },
				func() { C.peerGemm(gemm, C.int(n), double(a), double(b), double(y)) }
		}},
	}
}
