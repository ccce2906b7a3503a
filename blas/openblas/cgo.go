//go:build openblas && cgo

package openblas

/*
#cgo LDFLAGS: -llapacke -lopenblas

#if defined(__has_include)
#if !__has_include(<lapacke.h>) && !__has_include(<openblas/lapacke.h>) && !__has_include(<lapacke/lapacke.h>)
#error "OpenBLAS and LAPACKE are not installed: on Debian or Ubuntu install libopenblas-dev and liblapacke-dev"
#endif
#endif

#include <stdlib.h>

// Declared here rather than included: the headers' names and folders differ
// between distributions, these functions do not.
void  openblas_set_num_threads(int);
int   openblas_get_num_threads(void);
char *openblas_get_config(void);
char *openblas_get_corename(void);

// Only in builds with DYNAMIC_ARCH.
void gotoblas_dynamic_quit(void) __attribute__((weak));
void gotoblas_dynamic_init(void) __attribute__((weak));

// gramReselect makes the library choose its kernels again. It returns 0 where
// that is not possible.
static int gramReselect(const char *core) {
	if (!gotoblas_dynamic_quit || !gotoblas_dynamic_init)
		return 0;
	setenv("OPENBLAS_CORETYPE", core, 1);
	gotoblas_dynamic_quit();
	gotoblas_dynamic_init();
	return 1;
}

enum { gramRowMajor = 101, gramColMajor = 102 };
int LAPACKE_dpotrf(int layout, char uplo, int n, double *a, int lda);
int LAPACKE_dpotri(int layout, char uplo, int n, double *a, int lda);
int LAPACKE_dtrtri(int layout, char uplo, char diag, int n, double *a, int lda);
int LAPACKE_dsyevd(int layout, char jobz, char uplo, int n, double *a, int lda, double *w);
int LAPACKE_dgesdd(int layout, char jobz, int m, int n, double *a, int lda, double *s, double *u, int ldu, double *vt, int ldvt);
int LAPACKE_dgeev(int layout, char jobvl, char jobvr, int n, double *a, int lda, double *wr, double *wi, double *vl, int ldvl, double *vr, int ldvr);
int LAPACKE_dgetrf(int layout, int m, int n, double *a, int lda, int *ipiv);
int LAPACKE_dgetri(int layout, int n, double *a, int lda, const int *ipiv);
int LAPACKE_dgelqf(int layout, int m, int n, double *a, int lda, double *tau);
int LAPACKE_dorglq(int layout, int m, int n, int k, double *a, int lda, const double *tau);
int LAPACKE_dormlq(int layout, char side, char trans, int m, int n, int k, const double *a, int lda, const double *tau, double *c, int ldc);
*/
import "C"

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/blas"
	gblas "gonum.org/v1/gonum/blas"
	bgonum "gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/lapack"
	lgonum "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/netlib/blas/netlib"
)

// lock is held during every call into OpenBLAS.
var lock sync.Mutex

var lib netlib.Implementation

// backend makes OpenBLAS, which is linked by cgo, a blas.Backend.
type backend struct{}

func (backend) Name() string           { return "openblas" }
func (backend) Float64() gblas.Float64 { return implementation{} }
func (backend) Float32() gblas.Float32 { return implementation{} }
func (backend) Lapack() lapack.Float64 { return lapacke{} }

func (backend) SetThreads(n int) {
	if n < 0 {
		panic("openblas: negative number of threads")
	}
	if n == 0 {
		n = runtime.GOMAXPROCS(0)
	}
	lock.Lock()
	defer lock.Unlock()
	C.openblas_set_num_threads(C.int(n))
}

// implementation is gonum's BLAS with what pays in OpenBLAS replaced.
type implementation struct{ bgonum.Implementation }

// lapacke is gonum's LAPACK, on the BLAS in use, with some routines replaced.
type lapacke struct{ lgonum.Implementation }

var (
	opening sync.Mutex
	tested  bool
)

func open(core string) (blas.Backend, error) {
	opening.Lock()
	defer opening.Unlock()
	if core == "" {
		core = os.Getenv("GRAM_OPENBLAS_CORE")
	}
	if core != "" && !strings.EqualFold(core, coreName()) {
		if err := reselect(core); err != nil {
			return nil, err
		}
		tested = false
	}
	if !tested {
		if err := selfTest(); err != nil {
			return nil, err
		}
		tested = true
	}
	return backend{}, nil
}

func coreName() string {
	lock.Lock()
	defer lock.Unlock()
	return C.GoString(C.openblas_get_corename())
}

func reselect(core string) error {
	name := C.CString(core)
	defer C.free(unsafe.Pointer(name))
	lock.Lock()
	ok := C.gramReselect(name)
	lock.Unlock()
	if ok == 0 {
		return fmt.Errorf("openblas: this library has one set of kernels (%s), %s cannot be chosen", coreName(), core)
	}
	if got := coreName(); !strings.EqualFold(got, core) {
		return fmt.Errorf("openblas: asked for the kernels of %s, the library took %s", core, got)
	}
	return nil
}

func describeMissing() (Info, error) {
	i := Info{Core: coreName()}
	lock.Lock()
	i.Version = C.GoString(C.openblas_get_config())
	i.Threads = int(C.openblas_get_num_threads())
	lock.Unlock()
	i.Advice = advice(i.Core, cpu.Detected())
	return i, nil
}

// selfTest compares SYRK, POTRF and GEMM called from several goroutines with
// the results of one after the other.
func selfTest() error {
	const n, goroutines = 160, 8
	a := make([]float64, n*n)
	s := uint64(1)
	for i := range a {
		s = s*6364136223846793005 + 1442695040888963407
		a[i] = float64(s>>40)/(1<<24) - 0.5
	}
	type result struct{ gemm, chol []float64 }
	compute := func() (r result, ok bool) {
		r.gemm, r.chol = make([]float64, n*n), make([]float64, n*n)
		f := implementation{}
		f.Dgemm(gblas.NoTrans, gblas.Trans, n, n, n, 1, a, n, a, n, 0, r.gemm, n)
		f.Dsyrk(gblas.Upper, gblas.NoTrans, n, n, 1, a, n, 0, r.chol, n)
		for i := range n {
			r.chol[i*n+i]++
		}
		ok = lapacke{}.Dpotrf(gblas.Upper, n, r.chol, n)
		return r, ok
	}
	want, ok := compute()
	if !ok {
		return fmt.Errorf("openblas: self-test: Cholesky factorization failed")
	}
	same := func(x, y []float64) bool {
		for i := range x {
			if !(math.Abs(x[i]-y[i]) <= 1e-11) {
				return false
			}
		}
		return true
	}
	errs := make([]error, goroutines)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			got, ok := compute()
			switch {
			case !ok:
				errs[g] = fmt.Errorf("openblas: self-test: concurrent Cholesky factorization failed")
			case !same(got.gemm, want.gemm):
				errs[g] = fmt.Errorf("openblas: self-test: concurrent GEMM differs from the serial result")
			case !same(got.chol, want.chol):
				errs[g] = fmt.Errorf("openblas: self-test: concurrent SYRK and POTRF differ from the serial result")
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func ptr(x []float64) *C.double {
	if len(x) == 0 {
		return nil
	}
	return (*C.double)(unsafe.Pointer(&x[0]))
}

func check(ok bool, message string) {
	if !ok {
		panic(message)
	}
}

// other is the triangle of the column-major matrix in the same memory.
func other(ul gblas.Uplo) C.char {
	if ul == gblas.Upper {
		return 'L'
	}
	return 'U'
}

func checkSquare(ul gblas.Uplo, n int, a []float64, lda int) {
	check(ul == gblas.Upper || ul == gblas.Lower, "lapack: bad Uplo")
	check(n >= 0, "lapack: n < 0")
	check(lda >= max(1, n), "lapack: bad leading dimension of A")
	check(n == 0 || len(a) >= (n-1)*lda+n, "lapack: insufficient length of a")
}

// Dpotrf computes the Cholesky factor of A in place.
func (lapacke) Dpotrf(ul gblas.Uplo, n int, a []float64, lda int) (ok bool) {
	checkSquare(ul, n, a, lda)
	if n == 0 {
		return true
	}
	lock.Lock()
	defer lock.Unlock()
	return C.LAPACKE_dpotrf(C.gramColMajor, other(ul), C.int(n), ptr(a), C.int(lda)) == 0
}

// Dpotri computes the inverse of A from its Cholesky factor in place.
func (lapacke) Dpotri(ul gblas.Uplo, n int, a []float64, lda int) (ok bool) {
	checkSquare(ul, n, a, lda)
	if n == 0 {
		return true
	}
	lock.Lock()
	defer lock.Unlock()
	return C.LAPACKE_dpotri(C.gramColMajor, other(ul), C.int(n), ptr(a), C.int(lda)) == 0
}

// Dtrtri computes the inverse of a triangular matrix in place.
func (lapacke) Dtrtri(ul gblas.Uplo, diag gblas.Diag, n int, a []float64, lda int) (ok bool) {
	check(diag == gblas.Unit || diag == gblas.NonUnit, "lapack: bad Diag")
	checkSquare(ul, n, a, lda)
	if n == 0 {
		return true
	}
	lock.Lock()
	defer lock.Unlock()
	return C.LAPACKE_dtrtri(C.gramColMajor, other(ul), C.char(diag), C.int(n), ptr(a), C.int(lda)) == 0
}

// Dsyev computes the eigenvalues of A and, with lapack.EVCompute, the
// eigenvectors in the columns of A, by divide and conquer (dsyevd).
func (l lapacke) Dsyev(jobz lapack.EVJob, ul gblas.Uplo, n int, a []float64, lda int, w, work []float64, lwork int) (ok bool) {
	check(jobz == lapack.EVNone || jobz == lapack.EVCompute, "lapack: bad EVJob")
	if n < 2 || lwork == -1 || lwork < 3*n-1 || len(work) < lwork || len(w) < n {
		return l.Implementation.Dsyev(jobz, ul, n, a, lda, w, work, lwork)
	}
	checkSquare(ul, n, a, lda)
	lock.Lock()
	info := C.LAPACKE_dsyevd(C.gramColMajor, C.char(jobz), other(ul), C.int(n), ptr(a), C.int(lda), ptr(w))
	lock.Unlock()
	if info != 0 {
		return false
	}
	if jobz == lapack.EVCompute { // the library's columns are rows here
		transpose(n, a, lda)
	}
	return true
}

// transpose transposes a square matrix in place, by blocks.
func transpose(n int, a []float64, lda int) {
	const nb = 16
	for i0 := 0; i0 < n; i0 += nb {
		for j0 := i0; j0 < n; j0 += nb {
			for i := i0; i < min(i0+nb, n); i++ {
				for j := max(j0, i+1); j < min(j0+nb, n); j++ {
					a[i*lda+j], a[j*lda+i] = a[j*lda+i], a[i*lda+j]
				}
			}
		}
	}
}

// Dgesvd computes the singular value decomposition A = U·diag(s)·Vᵀ by divide
// and conquer (dgesdd) where jobU and jobVT are the same; else gonum's routine
// runs.
func (l lapacke) Dgesvd(jobU, jobVT lapack.SVDJob, m, n int, a []float64, lda int, s, u []float64, ldu int, vt []float64, ldvt int, work []float64, lwork int) (ok bool) {
	k := min(m, n)
	plain := jobU == jobVT && (jobU == lapack.SVDAll || jobU == lapack.SVDStore || jobU == lapack.SVDNone)
	if !plain || k < 1 || lwork == -1 || lwork < max(3*k+max(m, n), 5*k) || len(work) < lwork || lda < n || ldu < 1 || ldvt < 1 {
		return l.Implementation.Dgesvd(jobU, jobVT, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork)
	}
	check(len(a) >= (m-1)*lda+n, "lapack: insufficient length of a")
	check(len(s) >= k, "lapack: insufficient length of s")
	if jobU != lapack.SVDNone {
		cols, rows := m, n
		if jobU == lapack.SVDStore {
			cols, rows = k, k
		}
		check(ldu >= cols, "lapack: bad leading dimension of U")
		check(ldvt >= n, "lapack: bad leading dimension of VT")
		check(len(u) >= (m-1)*ldu+cols, "lapack: insufficient length of u")
		check(len(vt) >= (rows-1)*ldvt+n, "lapack: insufficient length of vt")
	}
	// In column-major order the memory holds Aᵀ = V·diag(s)·Uᵀ.
	lock.Lock()
	defer lock.Unlock()
	return C.LAPACKE_dgesdd(C.gramColMajor, C.char(jobU), C.int(n), C.int(m), ptr(a), C.int(lda), ptr(s), ptr(vt), C.int(ldvt), ptr(u), C.int(ldu)) == 0
}

// fits reports whether a holds an m×n matrix at distance lda.
func fits(m, n int, a []float64, lda int) bool {
	return m > 0 && n > 0 && lda >= n && len(a) >= (m-1)*lda+n
}

// hasWork reports whether work is space for a call and not a question how much of
// it there should be.
func hasWork(least int, work []float64, lwork int) bool { return lwork >= least && len(work) >= lwork }

// Dgetrf computes the factorization A = P·L·U in place. LAPACKE transposes A.
func (l lapacke) Dgetrf(m, n int, a []float64, lda int, ipiv []int) (ok bool) {
	k := min(m, n)
	if !fits(m, n, a, lda) || len(ipiv) != k {
		return l.Implementation.Dgetrf(m, n, a, lda, ipiv)
	}
	pivots := make([]C.int, k)
	lock.Lock()
	info := C.LAPACKE_dgetrf(C.gramRowMajor, C.int(m), C.int(n), ptr(a), C.int(lda), &pivots[0])
	lock.Unlock()
	for i, p := range pivots {
		ipiv[i] = int(p) - 1
	}
	return info == 0
}

// Dgetri computes the inverse of A from the factors of Dgetrf in place. LAPACKE
// transposes A.
func (l lapacke) Dgetri(n int, a []float64, lda int, ipiv []int, work []float64, lwork int) (ok bool) {
	if !fits(n, n, a, lda) || len(ipiv) != n || !hasWork(n, work, lwork) {
		return l.Implementation.Dgetri(n, a, lda, ipiv, work, lwork)
	}
	pivots := make([]C.int, n)
	for i, p := range ipiv {
		pivots[i] = C.int(p + 1)
	}
	lock.Lock()
	defer lock.Unlock()
	return C.LAPACKE_dgetri(C.gramRowMajor, C.int(n), ptr(a), C.int(lda), &pivots[0]) == 0
}

// Dgeqrf computes the factorization A = Q·R in place: in column-major order the
// memory holds Aᵀ = Rᵀ·Qᵀ.
func (l lapacke) Dgeqrf(m, n int, a []float64, lda int, tau, work []float64, lwork int) {
	if !fits(m, n, a, lda) || len(tau) != min(m, n) || !hasWork(n, work, lwork) {
		l.Implementation.Dgeqrf(m, n, a, lda, tau, work, lwork)
		return
	}
	lock.Lock()
	defer lock.Unlock()
	C.LAPACKE_dgelqf(C.gramColMajor, C.int(n), C.int(m), ptr(a), C.int(lda), ptr(tau))
	work[0] = float64(n)
}

// Dorgqr overwrites the k reflectors of Dgeqrf with the first n columns of Q.
func (l lapacke) Dorgqr(m, n, k int, a []float64, lda int, tau, work []float64, lwork int) {
	if n > m || k <= 0 || k > n || !fits(m, n, a, lda) || len(tau) != k || !hasWork(n, work, lwork) {
		l.Implementation.Dorgqr(m, n, k, a, lda, tau, work, lwork)
		return
	}
	lock.Lock()
	defer lock.Unlock()
	C.LAPACKE_dorglq(C.gramColMajor, C.int(n), C.int(m), C.int(k), ptr(a), C.int(lda), ptr(tau))
	work[0] = float64(n)
}

// Dormqr multiplies C by the Q of Dgeqrf or its transpose: Cᵀ by the Qᵀ that an LQ
// factorization has, from the other side.
func (l lapacke) Dormqr(side gblas.Side, trans gblas.Transpose, m, n, k int, a []float64, lda int, tau, c []float64, ldc int, work []float64, lwork int) {
	order, rest, other := n, m, C.char('L')
	if side == gblas.Left {
		order, rest, other = m, n, 'R'
	}
	if side != gblas.Left && side != gblas.Right || trans != gblas.NoTrans && trans != gblas.Trans || k <= 0 || k > order ||
		!fits(m, n, c, ldc) || !fits(order, k, a, lda) || len(tau) != k || !hasWork(rest, work, lwork) {
		l.Implementation.Dormqr(side, trans, m, n, k, a, lda, tau, c, ldc, work, lwork)
		return
	}
	lock.Lock()
	defer lock.Unlock()
	C.LAPACKE_dormlq(C.gramColMajor, other, C.char(trans), C.int(n), C.int(m), C.int(k), ptr(a), C.int(lda), ptr(tau), ptr(c), C.int(ldc))
	work[0] = float64(rest)
}

// Dgeev computes the eigenvalues and eigenvectors of A. LAPACKE transposes A and the
// vectors.
func (l lapacke) Dgeev(jobvl lapack.LeftEVJob, jobvr lapack.RightEVJob, n int, a []float64, lda int, wr, wi []float64, vl []float64, ldvl int, vr []float64, ldvr int, work []float64, lwork int) (first int) {
	left, right := jobvl == lapack.LeftEVCompute, jobvr == lapack.RightEVCompute
	if !fits(n, n, a, lda) || !left && jobvl != lapack.LeftEVNone || !right && jobvr != lapack.RightEVNone || len(wr) != n || len(wi) != n ||
		ldvl < 1 || ldvr < 1 || left && !fits(n, n, vl, ldvl) || right && !fits(n, n, vr, ldvr) || !hasWork(4*n, work, lwork) {
		return l.Implementation.Dgeev(jobvl, jobvr, n, a, lda, wr, wi, vl, ldvl, vr, ldvr, work, lwork)
	}
	// distances that are not used must be right, too
	if !left {
		vl, ldvl = nil, n
	}
	if !right {
		vr, ldvr = nil, n
	}
	lock.Lock()
	info := C.LAPACKE_dgeev(C.gramRowMajor, C.char(jobvl), C.char(jobvr), C.int(n), ptr(a), C.int(lda), ptr(wr), ptr(wi), ptr(vl), C.int(ldvl), ptr(vr), C.int(ldvr))
	lock.Unlock()
	if info < 0 { // NaN
		for i := range n {
			wr[i], wi[i] = math.NaN(), 0
		}
		return n
	}
	work[0] = float64(lwork)
	return int(info)
}
