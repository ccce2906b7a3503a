package svm

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Model files of LIBSVM. LIBSVM's function of a pair of classes is positive for the
// class that comes first in the list of labels; ours is positive for the second.
// Files of two classes therefore list the positive class first, and the functions of
// files with more classes change their sign. LIBSVM subtracts ρ where we add b.

// LIBSVMError reports a line of a LIBSVM model file that cannot be read. Lines are
// counted from 1.
type LIBSVMError struct {
	Line   int
	Reason string
}

// Error names the line and the reason.
func (e *LIBSVMError) Error() string {
	return fmt.Sprintf("LIBSVM model, line %d: %s", e.Line, e.Reason)
}

// maxLine is the length in bytes of the longest line that is read.
const maxLine = 64 << 20

// libsvm holds the content of a model file.
type libsvm struct {
	kind      string
	kernel    kernel.Kernel
	factor    float64 // the kernel of the file is factor times kernel
	classes   int
	rho       []float64
	label     []string
	perClass  []int
	coef      [][]float64 // classes−1 coefficients of each support vector
	points    *sparse.CSR
	functions int
	support   []int // rows of the training data, counted from 0, of a kernel matrix; else nil

	probA, probB []float64 // of the sigmoid of each function; for values, the scale of the noise in probA
}

// parseLIBSVM reads a model file. The points have at least the given number of columns.
func parseLIBSVM(r io.Reader, columns int) (*libsvm, error) {
	in := &libsvmReader{lines: bufio.NewScanner(r), degree: 3, total: -1}
	in.lines.Buffer(make([]byte, 64<<10), maxLine)
	f := &libsvm{factor: 1, points: &sparse.CSR{D: columns, Ptr: []int{0}, Val: []float64{}}}
	for {
		fields, err := in.next()
		if err != nil {
			return nil, err
		}
		if fields == nil {
			return nil, in.fail("the file ends before the support vectors")
		}
		if fields[0] == "SV" {
			break
		}
		if err := in.entry(f, fields[0], fields[1:]); err != nil {
			return nil, err
		}
	}
	if err := in.checkHead(f); err != nil {
		return nil, err
	}
	for {
		fields, err := in.next()
		if err != nil {
			return nil, err
		}
		if fields == nil {
			break
		}
		if err := in.vector(f, fields); err != nil {
			return nil, err
		}
	}
	if f.points.N != in.total {
		return nil, in.fail("%d support vectors, total_sv is %d", f.points.N, in.total)
	}
	f.points.D = max(1, f.points.D)
	return f, nil
}

// libsvmReader reads the lines of a model file: entries of the head, SV and support vectors.
type libsvmReader struct {
	lines        *bufio.Scanner
	line         int    // of the fields that next returned
	kind         string // of the kernel
	degree       int
	gamma, coef0 float64
	total        int // number of support vectors that the head states
}

func (in *libsvmReader) fail(reason string, args ...any) error {
	return &LIBSVMError{in.line, fmt.Sprintf(reason, args...)}
}

// next returns the fields of the next line that has any, nil at the end of the file.
func (in *libsvmReader) next() ([]string, error) {
	for in.lines.Scan() {
		in.line++
		if fields := strings.Fields(in.lines.Text()); len(fields) > 0 {
			return fields, nil
		}
	}
	if err := in.lines.Err(); err != nil {
		return nil, fmt.Errorf("LIBSVM model: %w", err)
	}
	return nil, nil
}

func (in *libsvmReader) number(field string) (float64, error) {
	v, err := strconv.ParseFloat(field, 64)
	if err != nil || v-v != 0 {
		return 0, in.fail("%q is not a finite number", field)
	}
	return v, nil
}

func (in *libsvmReader) numbers(fields []string) ([]float64, error) {
	out := make([]float64, len(fields))
	for i, s := range fields {
		var err error
		if out[i], err = in.number(s); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (in *libsvmReader) one(fields []string) (float64, error) {
	if len(fields) != 1 {
		return 0, in.fail("%d values where one is expected", len(fields))
	}
	return in.number(fields[0])
}

// whole returns the only field as an integer of at most 2³¹−1.
func (in *libsvmReader) whole(fields []string) (int, error) {
	v, err := in.one(fields)
	if err == nil && (v != math.Trunc(v) || math.Abs(v) > math.MaxInt32) {
		err = in.fail("%v is not an integer", fields[0])
	}
	return int(v), err
}

// entry stores the values of an entry of the head, such as gamma or rho. The error names an unknown entry or a value out of
// range.
func (in *libsvmReader) entry(f *libsvm, key string, fields []string) (err error) {
	switch key {
	case "svm_type":
		f.kind = strings.Join(fields, " ")
	case "kernel_type":
		in.kind = strings.Join(fields, " ")
	case "degree":
		in.degree, err = in.whole(fields)
	case "gamma":
		in.gamma, err = in.one(fields)
	case "coef0":
		in.coef0, err = in.one(fields)
	case "nr_class":
		f.classes, err = in.whole(fields)
		if err == nil && (f.classes < 2 || f.classes > 1<<15) {
			err = in.fail("%d classes", f.classes)
		}
	case "total_sv":
		in.total, err = in.whole(fields)
	case "rho":
		f.rho, err = in.numbers(fields)
	case "label":
		f.label = fields
	case "nr_sv":
		var counts []float64
		counts, err = in.numbers(fields)
		for _, c := range counts {
			if c < 0 || c != math.Trunc(c) || c > 1<<40 {
				return in.fail("%v support vectors", c)
			}
			f.perClass = append(f.perClass, int(c))
		}
	case "probA":
		f.probA, err = in.numbers(fields)
	case "probB":
		f.probB, err = in.numbers(fields)
	case "prob_density_marks": // of one-class machines, whose probabilities are not read
	default:
		err = in.fail("unknown entry %q", key)
	}
	return err
}

// checkHead compares the entries of the head with each other, and sets the number of functions and the kernel.
func (in *libsvmReader) checkHead(f *libsvm) (err error) {
	f.functions = f.classes * (f.classes - 1) / 2
	values := strings.HasSuffix(f.kind, "_svr")
	a, b := len(f.probA), len(f.probB)
	switch {
	case f.classes == 0:
		return in.fail("nr_class is missing")
	case in.total < 1:
		return in.fail("total_sv is %d", in.total)
	case len(f.rho) != f.functions:
		return in.fail("%d values of rho for %d classes", len(f.rho), f.classes)
	case a == 0 && b == 0:
	case values && (a != 1 || b > 0 || !(f.probA[0] > 0)):
		return in.fail("probA of a regression is %v, want one positive number", f.probA)
	case !values && (a != f.functions || b != f.functions):
		return in.fail("%d values of probA and %d of probB for %d classes", a, b, f.classes)
	}
	if f.kernel, f.factor, err = libsvmKernel(in.kind, in.degree, in.gamma, in.coef0); err != nil {
		return in.fail("%v", err)
	}
	return nil
}

// vector appends a support vector and its coefficients.
func (in *libsvmReader) vector(f *libsvm, fields []string) error {
	if len(fields) < f.classes-1 {
		return in.fail("%d coefficients, want %d", len(fields), f.classes-1)
	}
	coef, err := in.numbers(fields[:f.classes-1])
	if err != nil {
		return err
	}
	f.coef = append(f.coef, coef)
	rest := fields[f.classes-1:]
	if in.kind == precomputed {
		row, err := serial(rest)
		if err != nil {
			return in.fail("%v", err)
		}
		f.support = append(f.support, row)
		rest = []string{fmt.Sprint(row+1, ":1")}
	}
	last := 0
	for _, s := range rest {
		at, value, _ := strings.Cut(s, ":")
		j, err := strconv.Atoi(at)
		if err != nil || j <= last || j > math.MaxInt32 {
			return in.fail("index %q: indices are whole numbers that ascend from 1", at)
		}
		v, err := in.number(value)
		if err != nil {
			return err
		}
		f.points.Col, f.points.Val = append(f.points.Col, int32(j-1)), append(f.points.Val, v)
		f.points.D = max(f.points.D, j)
		last = j
	}
	f.points.N++
	f.points.Ptr = append(f.points.Ptr, len(f.points.Col))
	return nil
}

// precomputed is LIBSVM's name of kernels that are given as a matrix, whose rows are the data. Our kernel of such a model is Linear, and its
// points are unit vectors: see machine.onMatrix.
const precomputed = "precomputed"

// serial reads the only entry of a support vector of a kernel matrix, 0:ROW, in which rows count from 1.
func serial(fields []string) (row int, err error) {
	if len(fields) == 1 {
		if text, is := strings.CutPrefix(fields[0], "0:"); is {
			if row, err = strconv.Atoi(text); err == nil && row >= 1 && row <= math.MaxInt32 {
				return row - 1, nil
			}
		}
	}
	return 0, fmt.Errorf("%q, want 0:ROW, the number of a row of the kernel matrix", strings.Join(fields, " "))
}

// ofRows reports whether the points are the unit vectors of the rows that are support vectors, as those of a kernel matrix.
func (m *machine) ofRows() bool {
	_, linear := m.kernel.(kernel.Linear)
	n := m.points.N()
	if !linear || len(m.support) != n {
		return false
	}
	row := make([]float64, m.Dim())
	for k, i := range m.support {
		if m.points.CopyRow(row, k); i >= len(row) || row[i] != 1 {
			return false
		}
		row[i] = 0
		if slices.ContainsFunc(row, func(v float64) bool { return v != 0 }) {
			return false
		}
	}
	return true
}

// libsvmKernel returns the kernel of a model file as factor times one of ours:
// (γ⟨x,y⟩+c)^p is γ^p·(⟨x,y⟩+c/γ)^p.
func libsvmKernel(kind string, degree int, gamma, coef0 float64) (k kernel.Kernel, factor float64, err error) {
	factor = 1
	switch kind {
	case "linear", precomputed:
		k = kernel.Linear{}
	case "rbf":
		k = kernel.Gaussian{Gamma: gamma}
	case "polynomial":
		if !(gamma > 0) {
			return nil, 0, fmt.Errorf("polynomial with gamma %v", gamma)
		}
		k, factor = kernel.Polynomial{Degree: degree, Offset: coef0 / gamma}, math.Pow(gamma, float64(degree))
	case "sigmoid":
		k = kernel.Sigmoid{Scale: gamma, Offset: coef0}
	default:
		return nil, 0, fmt.Errorf("kernel type %q", kind)
	}
	return k, factor, kernel.Check(k)
}

// machine returns the functions of the file multiplied by sign.
func (f *libsvm) machine(sign float64) machine {
	m := machine{kernel: f.kernel, bias: make([]float64, f.functions)}
	for p, rho := range f.rho {
		m.bias[p] = -sign * rho
	}
	m.coef = mat.NewDense(f.points.N, f.classes-1, nil)
	for sv, coef := range f.coef {
		for j, v := range coef {
			m.coef.Set(sv, j, sign*f.factor*v)
		}
	}
	if f.classes > 2 {
		m.counts = f.perClass
	}
	m.support = f.support
	m.points = gram.Of(f.points)
	if n, d := f.points.Dims(); 2*f.points.NNZ() > n*d {
		m.points = gram.Of(f.points.Dense())
	}
	m.prepare(0)
	return m
}

// ReadLIBSVM reads a classifier (c_svc or nu_svc) or a one-class machine (one_class), such as OneClass trains, from a model file
// of LIBSVM. The model is for data with the given number of columns, or with as many columns as the largest index in the file if
// that is more.
//
// Values agree with those of svm-predict up to rounding, and so do classes unless a
// value is 0. With two classes, Classes lists the first class of the file last, so
// that positive values mean class 1 as everywhere in this package. With more classes
// the order is that of the file, which decides between classes with equal votes. If the
// file has probA and probB, Model.Calibration has them.
func ReadLIBSVM(r io.Reader, columns int) (*Model, error) {
	f, err := parseLIBSVM(r, columns)
	if err != nil {
		return nil, err
	}
	switch {
	case f.kind == oneClassKind && f.classes == 2 && f.label == nil && f.perClass == nil:
		f.label, f.perClass = []string{"1", "-1"}, []int{f.points.N, 0}
	case f.kind != "c_svc" && f.kind != "nu_svc":
		return nil, &LIBSVMError{1, fmt.Sprintf("svm_type %q is not a classifier", f.kind)}
	}
	total := 0
	for _, c := range f.perClass {
		total += c
	}
	if len(f.label) != f.classes || len(f.perClass) != f.classes || total != f.points.N {
		return nil, &LIBSVMError{1, fmt.Sprintf("%d labels and %d numbers of support vectors, %d in all, for %d classes and %d support vectors",
			len(f.label), len(f.perClass), total, f.classes, f.points.N)}
	}
	sign := -1.0
	names := f.label
	if f.classes == 2 {
		sign, names = 1, []string{f.label[1], f.label[0]}
	}
	m := &Model{names: names, machine: f.machine(sign)}
	m.cfg, err = settings.Resolved(Config{Kernel: f.kernel}, gram.Shape{})
	if f.probA != nil {
		// The file has the probability of the first class of each pair, which is ours of the
		// second class for two classes; else our value changes its sign.
		s := make([]calibration.Sigmoid, f.functions)
		for p := range s {
			s[p] = calibration.Sigmoid{A: f.probA[p], B: sign * f.probB[p]}
		}
		m.proba = calibration.NewPairs(f.classes, s)
	}
	m.stats.Support = f.points.N
	return m, err
}

// ReadLIBSVMRegressor reads a regression (epsilon_svr or nu_svr) from a model file
// of LIBSVM; see ReadLIBSVM. If the file has probA, Regressor.Noise has it.
func ReadLIBSVMRegressor(r io.Reader, columns int) (*Regressor, error) {
	f, err := parseLIBSVM(r, columns)
	if err != nil {
		return nil, err
	}
	if f.kind != "epsilon_svr" && f.kind != "nu_svr" || f.classes != 2 {
		return nil, &LIBSVMError{1, fmt.Sprintf("svm_type %q with nr_class %d is not a regression", f.kind, f.classes)}
	}
	m := &Regressor{machine: f.machine(1)}
	m.cfg, err = settings.Resolved(Regression{Kernel: f.kernel}, gram.Shape{})
	if f.probA != nil {
		m.noise = f.probA[0]
	}
	m.stats.Support = f.points.N
	return m, err
}

// oneClassKind is the svm_type of one-class machines in model files of LIBSVM.
const oneClassKind = "one_class"

// onlyInside reports whether m is like a one-class machine: its classes are those, and no coefficient is negative.
func (m *Model) onlyInside() bool {
	return slices.Equal(m.names, oneClassNames()) && !(mat.Min(m.coef) < 0)
}

// WriteLIBSVM writes the model in the format of svm-train, with all digits. The names
// of the classes must be whole numbers, and the kernel must be one that LIBSVM has:
// Gaussian, Linear, Polynomial, Homogeneous, Sigmoid or Matrix. OneVsRest models of more than
// two classes cannot be written. A Calibration of the kind calibration.Platt is written as
// probA and probB; other kinds cannot be written. The file is one of one_class if the classes are -1 and
// 1 and no coefficient is negative, as those of OneClass, else one of c_svc, which nu_svc does not
// differ from.
func (m *Model) WriteLIBSVM(w io.Writer) error {
	classes := len(m.names)
	if classes > 2 && m.cfg.Multi == OneVsRest {
		return settings.Refuse("Multi", "OneVsRest", "OneVsOne: LIBSVM's models are of pairs")
	}
	if m.proba != nil && m.proba.Kind() != calibration.Platt {
		return settings.Refuse("Calibration", m.proba.Kind(), "platt: LIBSVM's are")
	}
	for _, name := range m.names {
		if _, err := strconv.ParseInt(name, 10, 32); err != nil {
			return settings.Refuse("class", name, "a whole number: LIBSVM's labels are")
		}
	}
	sign, counts, label := -1.0, m.counts, m.names
	n, _ := m.coef.Dims()
	order := make([]int, n) // the support vectors in the order of the file
	for k := range order {
		order[k] = k
	}
	if classes == 2 {
		// The class of a support vector follows from the sign of its coefficient.
		class := make([]int, n)
		for k := range class {
			if m.coef.At(k, 0) < 0 {
				class[k] = 1
			}
		}
		sign, counts, label = 1, sortByClass(order, class, 2), []string{m.names[1], m.names[0]}
	}
	out := bufio.NewWriter(w)
	if m.proba == nil && m.onlyInside() {
		return m.writeFunction(out, oneClassKind)
	}
	if err := m.writeHead(out, "c_svc", classes, sign); err != nil {
		return err
	}
	fmt.Fprintf(out, "label %s\n", strings.Join(label, " "))
	if m.proba != nil {
		var a, b strings.Builder
		for _, s := range m.proba.Sigmoids() {
			a.WriteString(" " + number(s.A))
			b.WriteString(" " + number(sign*s.B))
		}
		fmt.Fprintf(out, "probA%s\nprobB%s\n", &a, &b)
	}
	fmt.Fprintf(out, "nr_sv %s\nSV\n", strings.Trim(fmt.Sprint(counts), "[]"))
	ofRows := m.ofRows()
	for _, k := range order {
		for c, v := range m.coef.RawRowView(k) {
			if c > 0 {
				out.WriteByte(' ')
			}
			out.WriteString(number(sign * v))
		}
		m.writePoint(out, k, ofRows)
	}
	return out.Flush()
}

// WriteLIBSVM writes the model in the format of svm-train, with all digits. The
// kernel must be one that LIBSVM has; see Model.WriteLIBSVM. A Noise is written as probA.
func (m *Regressor) WriteLIBSVM(w io.Writer) error {
	out := bufio.NewWriter(w)
	if m.noise > 0 {
		return m.writeFunction(out, "epsilon_svr", "probA "+number(m.noise))
	}
	return m.writeFunction(out, "epsilon_svr")
}

// writeFunction writes a model of one function without classes, with such lines in its head.
func (m *machine) writeFunction(out *bufio.Writer, kind string, lines ...string) error {
	if err := m.writeHead(out, kind, 2, 1); err != nil {
		return err
	}
	for _, line := range append(lines, "SV") {
		out.WriteString(line + "\n")
	}
	n, _ := m.coef.Dims()
	ofRows := m.ofRows()
	for sv := range n {
		out.WriteString(number(m.coef.At(sv, 0)))
		m.writePoint(out, sv, ofRows)
	}
	return out.Flush()
}

func (m *machine) writeHead(out *bufio.Writer, kind string, classes int, sign float64) error {
	fmt.Fprintf(out, "svm_type %s\n", kind)
	switch k := m.kernel.(type) {
	case kernel.Linear:
		name := "linear"
		if m.ofRows() {
			name = precomputed
		}
		fmt.Fprintf(out, "kernel_type %s\n", name)
	case kernel.Gaussian:
		fmt.Fprintf(out, "kernel_type rbf\ngamma %s\n", number(k.Gamma))
	case kernel.Polynomial:
		fmt.Fprintf(out, "kernel_type polynomial\ndegree %d\ngamma 1\ncoef0 %s\n", k.Degree, number(k.Offset))
	case kernel.Homogeneous:
		fmt.Fprintf(out, "kernel_type polynomial\ndegree %d\ngamma 1\ncoef0 0\n", k.Degree)
	case kernel.Sigmoid:
		fmt.Fprintf(out, "kernel_type sigmoid\ngamma %s\ncoef0 %s\n", number(k.Scale), number(k.Offset))
	default:
		return settings.Refuse("Kernel", m.kernel.Spec().Name, "one that LIBSVM has: gaussian, linear, polynomial, homogeneous, sigmoid")
	}
	n, _ := m.coef.Dims()
	fmt.Fprintf(out, "nr_class %d\ntotal_sv %d\nrho", classes, n)
	for _, b := range m.bias {
		fmt.Fprintf(out, " %s", number(-sign*b))
	}
	out.WriteByte('\n')
	return nil
}

// writePoint writes the nonzero values of a support vector, or the number of its row in a kernel matrix.
func (m *machine) writePoint(out *bufio.Writer, sv int, ofRows bool) {
	if ofRows {
		fmt.Fprintf(out, " 0:%d\n", m.support[sv]+1)
		return
	}
	row := make([]float64, m.Dim())
	m.points.CopyRow(row, sv)
	for j, v := range row {
		if v != 0 {
			out.WriteByte(' ')
			out.WriteString(strconv.Itoa(j + 1))
			out.WriteByte(':')
			out.WriteString(number(v))
		}
	}
	out.WriteByte('\n')
}

func number(v float64) string { return strconv.FormatFloat(v+0, 'g', -1, 64) }
