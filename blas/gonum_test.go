package blas_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/internal/asmtest"
	gblas "gonum.org/v1/gonum/blas"
)

// routines are those of the module with the names of their arguments.
var routines = map[string]string{
	"dot":   "n x incX y incY",
	"axpy":  "n alpha x incX y incY",
	"scal":  "n alpha x incX",
	"gemv":  "trans m n alpha a lda x incX beta y incY",
	"ger":   "m n alpha x incX y incY a lda",
	"syr":   "uplo n alpha x incX a lda",
	"symv":  "uplo n alpha a lda x incX beta y incY",
	"gemm":  "trans transB m n k alpha a lda b ldb beta c ldc",
	"syrk":  "uplo trans n k alpha a lda beta c ldc",
	"syr2k": "uplo trans n k alpha a lda b ldb beta c ldc",
	"symm":  "side uplo m n alpha a lda b ldb beta c ldc",
	"trmm":  "side uplo trans diag m n alpha a lda b ldb",
	"trsm":  "side uplo trans diag m n alpha a lda b ldb",
}

// shapes returns the rows and columns of a, b and c, and the lengths of x and y.
func shapes(name string, arg map[string]any) (a, b, c [2]int, x, y int) {
	of := func(s string) int { i, _ := arg[s].(int); return i }
	turned := func(s string, rows, cols int) [2]int {
		if t, _ := arg[s].(gblas.Transpose); t != gblas.NoTrans {
			return [2]int{cols, rows}
		}
		return [2]int{rows, cols}
	}
	m, n, k := of("m"), of("n"), of("k")
	order := [2]int{n, n}
	if s, _ := arg["side"].(gblas.Side); s == gblas.Left {
		order = [2]int{m, m}
	}
	switch name {
	case "gemv":
		xy := turned("trans", n, m)
		return [2]int{m, n}, b, c, xy[0], xy[1]
	case "ger":
		return [2]int{m, n}, b, c, m, n
	case "gemm":
		return turned("trans", m, k), turned("transB", k, n), [2]int{m, n}, 0, 0
	case "syrk", "syr2k":
		return turned("trans", n, k), turned("trans", n, k), [2]int{n, n}, 0, 0
	case "symm", "trmm", "trsm":
		return order, [2]int{m, n}, [2]int{m, n}, 0, 0
	}
	return [2]int{n, n}, b, c, n, n
}

// call calls the routine of that name for float32 (S) or float64 (D) with copies of
// the arguments, behind which there is more memory, and returns these, the result and the
// panic.
func call(of blas.Backend, prefix, name string, arg map[string]any) (out []any, panicked any) {
	impl := reflect.ValueOf(of.Float64())
	if prefix == "S" {
		impl = reflect.ValueOf(of.Float32())
	}
	var in []reflect.Value
	for s := range strings.FieldsSeq(routines[name]) {
		v := arg[s]
		switch x := v.(type) {
		case []float64:
			v = append(x, make([]float64, 8)...)[:len(x)]
		case []float32:
			v = append(x, make([]float32, 8)...)[:len(x)]
		}
		in, out = append(in, reflect.ValueOf(v)), append(out, v)
	}
	defer func() { panicked = recover() }()
	for _, v := range impl.MethodByName(prefix + name).Call(in) {
		out = append(out, v.Interface())
	}
	return out, nil
}

// arguments draws arguments that are right: one of the sizes, any increments and leading
// dimensions, and numbers between which there are others that must not be touched.
func arguments[F gram.Float](r *rand.Rand, name string, m, n, k []int) map[string]any {
	one := func(x ...int) int { return x[r.IntN(len(x))] }
	factor := func() F { return []F{0, 1, -1.5, 2}[r.IntN(4)] }
	arg := map[string]any{
		"m": one(m...), "n": one(n...), "k": one(k...),
		"alpha": factor(), "beta": factor(),
		"incX": one(1, 1, 2, -1, -3), "incY": one(1, 1, 3, -1, -2),
		"trans": []gblas.Transpose{gblas.NoTrans, gblas.Trans, gblas.ConjTrans}[r.IntN(3)], "transB": []gblas.Transpose{gblas.NoTrans, gblas.Trans}[r.IntN(2)],
		"uplo": []gblas.Uplo{gblas.Upper, gblas.Lower}[r.IntN(2)], "side": []gblas.Side{gblas.Left, gblas.Right}[r.IntN(2)],
		"diag": []gblas.Diag{gblas.Unit, gblas.NonUnit}[r.IntN(2)],
	}
	if name == "ger" { // gonum's is wrong for others
		arg["incX"], arg["incY"] = one(1, 2), one(1, 3)
	}
	a, b, c, x, y := shapes(name, arg)
	for s, shape := range map[string][2]int{"a": a, "b": b, "c": c} {
		ld := max(1, shape[1]) + one(0, 0, 3)
		arg["ld"+s] = ld
		data := asmtest.Normal[F](r, max(0, (shape[0]-1)*ld+shape[1]))
		if s == "a" && (name == "trsm" || name == "trmm") {
			for i := range data {
				data[i] /= 8
			}
			for i := range shape[0] {
				data[i*ld+i] = 2
			}
		}
		arg[s] = data
	}
	arg["x"] = asmtest.Normal[F](r, max(0, (x-1)*max(arg["incX"].(int), -arg["incX"].(int))+1))
	arg["y"] = asmtest.Normal[F](r, max(0, (y-1)*max(arg["incY"].(int), -arg["incY"].(int))+1))
	return arg
}

// Every routine computes what gonum's does, for all kinds of arguments and small sizes,
// and touches nothing else.
func TestAsGonum(t *testing.T) {
	asmtest.ForEachLevel(t, cpu.Levels()[1:], func(t *testing.T) {
		asGonum[float64](t, "D")
		asGonum[float32](t, "S")
	})
}

func asGonum[F gram.Float](t *testing.T, prefix string) {
	r := rand.New(rand.NewPCG(11, 12))
	tol := 200 * asmtest.Epsilon[F]()
	for name := range routines {
		rounds := 150
		if testing.Short() {
			rounds = 60
		}
		for range rounds {
			arg := arguments[F](r, name, []int{0, 1, 2, 3, 5, 9, 17, 33}, []int{0, 1, 2, 4, 5, 8, 17, 40}, []int{0, 1, 3, 8, 19})
			want, p := call(blas.Gonum, prefix, name, arg)
			got, q := call(blas.Native, prefix, name, arg)
			what := func() string {
				var s strings.Builder
				for k := range strings.FieldsSeq(routines[name]) {
					if v := reflect.ValueOf(arg[k]); v.Kind() != reflect.Slice {
						fmt.Fprintf(&s, " %s=%v", k, v)
					}
				}
				return prefix + name + s.String()
			}
			if p != nil || q != nil {
				t.Fatalf("%s: panics %v and %v", what(), p, q)
			}
			for i, w := range want {
				var a, b []F
				switch w := w.(type) {
				case []F:
					a, b = w, got[i].([]F)
				case F:
					a, b = []F{w}, []F{got[i].(F)}
				}
				for e, v := range a {
					if !(math.Abs(float64(v-b[e])) <= tol*(1+math.Abs(float64(v)))) {
						t.Fatalf("%s: element %d of argument %d is %v, gonum's %v", what(), e, i, b[e], v)
					}
				}
			}
		}
	}
}

// Arguments that are wrong are refused with gonum's words before anything is written,
// one after the other: unknown flags, negative sizes, increments of 0, leading dimensions
// and slices that are too short. For slices there is memory behind the end.
func TestRefusesAsGonum(t *testing.T) {
	refusesAsGonum[float64](t, "D")
	refusesAsGonum[float32](t, "S")
}

func refusesAsGonum[F gram.Float](t *testing.T, prefix string) {
	r := rand.New(rand.NewPCG(13, 14))
	for name, list := range routines {
		for range 12 {
			arg := arguments[F](r, name, []int{5}, []int{4}, []int{3})
			arg["alpha"] = F(2)
			a, b, c, _, _ := shapes(name, arg)
			for s := range strings.FieldsSeq(list) {
				for _, empty := range []bool{false, true} {
					var wrong any
					switch v := arg[s].(type) {
					case int:
						wrong = map[bool]int{true: 0}[strings.HasPrefix(s, "inc")]
						switch {
						case strings.HasPrefix(s, "ld"):
							wrong = map[string][2]int{"lda": a, "ldb": b, "ldc": c}[s][1] - 1
						case !strings.HasPrefix(s, "inc"):
							wrong = -1
						}
					case gblas.Transpose:
						wrong = gblas.Transpose('X')
					case gblas.Uplo:
						wrong = gblas.Uplo('X')
					case gblas.Side:
						wrong = gblas.Side('X')
					case gblas.Diag:
						wrong = gblas.Diag('X')
					case []F:
						wrong = slices.Clone(v[:len(v)-1])
					default:
						continue // alpha and beta
					}
					bad := map[string]any{}
					for k, v := range arg {
						bad[k] = v
					}
					bad[s] = wrong
					if empty { // what is not looked at is not refused either
						bad["alpha"], bad["beta"] = F(0), F(1)
					}
					before, p := call(blas.Gonum, prefix, name, bad)
					after, q := call(blas.Native, prefix, name, bad)
					if p == nil && name != "dot" && name != "axpy" && name != "scal" && !empty {
						t.Errorf("%s%s with %s %v: gonum takes it", prefix, name, s, wrong)
					}
					if p != nil && q != p {
						t.Errorf("%s%s with %s: panic %v, gonum's is %v", prefix, name, s, q, p)
					}
					if p != nil && !reflect.DeepEqual(before, after) {
						t.Errorf("%s%s with %s: something was written", prefix, name, s)
					}
				}
			}
		}
	}
}
