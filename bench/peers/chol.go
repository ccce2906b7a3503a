package main

/*
#cgo CFLAGS: -D_GNU_SOURCE
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>

typedef void (*dch1up)(const int *n, double *r, const int *ldr, double *u, double *w);
typedef void (*dch1dn)(const int *n, double *r, const int *ldr, double *u, double *w, int *info);
typedef void (*dlaed9)(const int *k, const int *first, const int *last, const int *n, double *d, double *q, const int *ldq,
	const double *rho, double *poles, double *w, double *s, const int *lds, int *info);

static int update(void *f, int n, double *r, const double *x, double *u, double *w, long reps) {
	for (long i = 0; i < reps; i++) {
		for (int j = 0; j < n; j++) u[j] = x[j];
		((dch1up)f)(&n, r, &n, u, w);
	}
	return 0;
}

static int downdate(void *f, int n, double *r, const double *x, double *u, double *w, long reps) {
	int info = 0;
	for (long i = 0; i < reps && info == 0; i++) {
		for (int j = 0; j < n; j++) u[j] = x[j];
		((dch1dn)f)(&n, r, &n, u, w, &info);
	}
	return info;
}

static int secular(void *f, int n, double *d, double *q, double rho, double *poles, const double *z, double *w, double *s, long reps) {
	int info = 0, one = 1;
	for (long i = 0; i < reps && info == 0; i++) {
		for (int j = 0; j < n; j++) w[j] = z[j];
		((dlaed9)f)(&n, &one, &n, &n, d, q, &n, &rho, poles, w, s, &n, &info);
	}
	return info;
}
*/
import "C"

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/cholupdate"
	"github.com/gramworks/gram/eig"
	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// symbol returns the address of a function of a shared object.
func symbol(path, name string) (unsafe.Pointer, error) {
	p, s := C.CString(path), C.CString(name)
	defer C.free(unsafe.Pointer(p))
	defer C.free(unsafe.Pointer(s))
	lib := C.dlopen(p, C.RTLD_NOW)
	if lib == nil {
		return nil, fmt.Errorf("%s: %s", path, C.GoString(C.dlerror()))
	}
	f := C.dlsym(lib, s)
	if f == nil {
		return nil, fmt.Errorf("%s has no %s", path, name)
	}
	return f, nil
}

// spd returns a factor far from singular, and a vector so short that
// thousands of changes by it hardly change the factor.
func spd(n int) (l, x []float64) {
	l, x = make([]float64, n*n), make([]float64, n)
	for i := range n {
		x[i] = 1e-6 * float64(1+i%7)
		for j := range n { // both triangles are filled, so that this is a factor in either storage order
			l[i*n+j] = float64((i*j+i+j)%11-5) / float64(10*n)
		}
		l[i*n+i] = 1
	}
	return l, x
}

// built returns the name of the file that a function is of, links followed, the beginning
// of its SHA-256, and what -build says of it.
func (o options) built(f unsafe.Pointer) (string, error) {
	var found C.Dl_info
	if C.dladdr(f, &found) == 0 {
		return "", errors.New("a function is of no file")
	}
	path, err := filepath.EvalSymlinks(C.GoString(found.dli_fname))
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(path)
	build := fmt.Sprintf("%s, SHA-256 %.8x", filepath.Base(path), sha256.Sum256(b))
	if o.build != "" {
		build += ", " + o.build
	}
	return build, err
}

// release is what follows .so. in the name of the file of a library.
func release(build string) string {
	name, _, _ := strings.Cut(build, ",")
	_, version, _ := strings.Cut(name, ".so.")
	return version
}

// compareUpdates compares updates, downdates in place and transactional downdates of factors
// in both storage orders for each order. qrupdate's, an upper factor by
// columns, is in memory a lower factor by rows.
func compareUpdates(o options) ([]*bench.Peers, error) {
	up, err := symbol(o.qrupdate, "dch1up_")
	if err != nil {
		return nil, err
	}
	down, err := symbol(o.qrupdate, "dch1dn_")
	if err != nil {
		return nil, err
	}
	build, err := o.built(up)
	if err != nil {
		return nil, err
	}
	qrupdate := o.peer("qrupdate", release(build), build)
	blas.Use(blas.Gonum)
	_, version, _ := strings.Cut(bench.Here().Backend, " ")
	blas.Use(blas.Native)
	other := o.peer("gonum", version, "on gonum's own BLAS")
	for _, n := range []int{64, 256, 512, 1024} {
		for _, change := range []string{"update", "downdate", "safely"} {
			triangle := func(uplo gblas.Uplo) contestant {
				l, x := spd(n)
				t := blas64.Triangular{Uplo: uplo, Diag: gblas.NonUnit, N: n, Stride: n, Data: l}
				return func(reps int) {
					for range reps {
						var err error
						switch change {
						case "update":
							err = cholupdate.Update(t, x)
						case "downdate":
							_, err = cholupdate.DowndateInPlace(t, x)
						default:
							_, err = cholupdate.Downdate(t, x)
						}
						if err != nil {
							panic(err)
						}
					}
				}
			}
			r, x := spd(n)
			u, w := make([]float64, n), make([]float64, n)
			fortran := func(reps int) {
				f := func() C.int {
					args := [4]*C.double{(*C.double)(&r[0]), (*C.double)(&x[0]), (*C.double)(&u[0]), (*C.double)(&w[0])}
					if change == "update" {
						return C.update(up, C.int(n), args[0], args[1], args[2], args[3], C.long(reps))
					}
					return C.downdate(down, C.int(n), args[0], args[1], args[2], args[3], C.long(reps))
				}
				if info := f(); info != 0 {
					panic(fmt.Sprint("qrupdate: info ", info))
				}
			}
			g, y := spd(n)
			var c mat.Cholesky
			c.SetFromU(mat.NewTriDense(n, mat.Upper, g))
			v, alpha := mat.NewVecDense(n, y), 1.0
			if change != "update" {
				alpha = -1
			}
			gonum := func(reps int) {
				blas.Use(blas.Gonum)
				defer blas.Use(blas.Native)
				for range reps {
					if !c.SymRankOne(&c, alpha, v) {
						panic("gonum: not positive definite")
					}
				}
			}
			t, ratio := race(o, triangle(gblas.Upper), triangle(gblas.Lower), fortran, gonum)
			for i, storage := range []string{"upper", "lower"} {
				work, shape := change+", "+storage+" factor", fmt.Sprint(n)
				o.add(qrupdate, work, "float64", shape, t[i], t[2], ratio[2]/ratio[i], "")
				o.add(other, work, "float64", shape, t[i], t[3], ratio[3]/ratio[i], "")
			}
		}
	}
	return []*bench.Peers{qrupdate, other}, nil
}

// compareRankOne compares all eigenpairs of D + zzᵀ for each order.
func compareRankOne(o options) ([]*bench.Peers, error) {
	f, err := symbol(o.lapack, "dlaed9_")
	if err != nil {
		return nil, err
	}
	build, err := o.built(f)
	if err != nil {
		return nil, err
	}
	p := o.peer("LAPACK, dlaed9", release(build), build)
	for _, n := range []int{64, 256, 1024} {
		d, z := make([]float64, n), make([]float64, n)
		var norm float64
		for i := range n {
			d[i] = float64(i) + float64(i*i%17)/20
			z[i] = float64(1 + i*7%5)
			norm += z[i] * z[i]
		}
		q := mat.NewDense(n, n, nil)
		ours := func(reps int) {
			for range reps {
				u, err := eig.RankOne(d, z, 1)
				if err != nil {
					panic(err)
				}
				u.VectorsTo(q)
			}
		}
		// dlaed9 needs ‖z‖ = 1.
		unit := mat.NewVecDense(n, nil)
		unit.ScaleVec(1/mat.Norm(mat.NewVecDense(n, z), 2), mat.NewVecDense(n, z))
		w, poles, values := make([]float64, n), append([]float64(nil), d...), make([]float64, n)
		s, work := make([]float64, n*n), make([]float64, n*n)
		lapack := func(reps int) {
			if info := C.secular(f, C.int(n), (*C.double)(&values[0]), (*C.double)(&work[0]), C.double(norm), (*C.double)(&poles[0]),
				(*C.double)(&unit.RawVector().Data[0]), (*C.double)(&w[0]), (*C.double)(&s[0]), C.long(reps)); info != 0 {
				panic(fmt.Sprint("dlaed9: info ", info))
			}
		}
		t, ratio := race(o, ours, lapack)
		u, _ := eig.RankOne(d, z, 1)
		for i, v := range u.Values() {
			if e := v - values[i]; !(e*e <= 1e-24*norm*norm) {
				return nil, fmt.Errorf("n = %d: eigenvalue %d is %v here and %v by dlaed9", n, i, v, values[i])
			}
		}
		o.add(p, "eigenpairs of D + zzᵀ", "float64", fmt.Sprint(n), t[0], t[1], ratio[1], "")
	}
	return []*bench.Peers{p}, nil
}
