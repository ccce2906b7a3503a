package algotest

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// A fingerprint records the results of a computation: one line per array with its
// type, its shape, its root mean square and a checksum of its bits. The file
// testdata/fingerprints.txt of a package holds those of its tests. They show that
// a change of the code has changed no number. To change numbers on purpose, renew
// the fingerprints and read what has changed:
//
//	go test ./algos/... ./catalog ./predict -renew
//	git diff '*fingerprints.txt'
//
// Fingerprints are taken at the level generic, where Go code computes every
// number, so that they hold on every amd64 machine. They are not compared on
// other architectures, where the compiler may fuse a product and a sum and
// package math has assembly of its own, and under the build tag noasm, where
// gonum adds in another order.
var renew = flag.Bool("renew", false, "write the fingerprints of the tests that run to testdata/fingerprints.txt")

const fingerprintFile = "testdata/fingerprints.txt"

// Fingerprint compares items with the fingerprint of the test's name. Items are
// pairs of a name and a value: a string, a model that can be stored, a
// *mat.Dense, a *sparse.CSR or a slice of numbers. The computation must have run
// in AtGeneric.
func Fingerprint(t *testing.T, items ...any) {
	t.Helper()
	var lines []string
	for i := 0; i < len(items); i += 2 {
		name := items[i].(string)
		if m, ok := items[i+1].(modelfile.Model); ok {
			for _, line := range takeApart(t, write(t, m)).lines(t) {
				lines = append(lines, name+"."+line)
			}
			continue
		}
		lines = append(lines, describe(name, items[i+1])...)
	}
	hold(t, t.Name(), lines)
}

// AtGeneric runs f at the level generic. It skips the test as Serial does.
func AtGeneric(t *testing.T, f func()) {
	t.Helper()
	Serial(t)
	asmtest.AtGeneric(f)
}

// describe returns the lines of a fingerprint for the value x: three for a *sparse.CSR, one for a string, a matrix or a slice.
func describe(name string, x any) []string {
	switch x := x.(type) {
	case string:
		return []string{name + " " + x}
	case *mat.Dense:
		r, c := x.Dims()
		data := make([]float64, 0, r*c)
		for i := range r {
			data = append(data, x.RawRowView(i)...)
		}
		return []string{array{name, []int{r, c}, data}.String()}
	case *sparse.CSR:
		return []string{
			array{name + ".ptr", []int{len(x.Ptr)}, wide(x.Ptr)}.String(),
			array{name + ".col", []int{len(x.Col)}, x.Col}.String(),
			array{name + ".val", []int{len(x.Val)}, x.Val}.String(),
		}
	case []int:
		return []string{array{name, []int{len(x)}, wide(x)}.String()}
	}
	return []string{array{name, []int{reflect.ValueOf(x).Len()}, x}.String()}
}

func wide(x []int) []int64 {
	w := make([]int64, len(x))
	for i, v := range x {
		w[i] = int64(v)
	}
	return w
}

// String returns the line of an array in a fingerprint.
func (a array) String() string {
	dtype, _ := a.dtype()
	var sum float64
	v := reflect.ValueOf(a.data)
	for i := range v.Len() {
		var f float64
		switch e := v.Index(i); {
		case e.CanFloat():
			f = e.Float()
		case e.CanInt():
			f = float64(e.Int())
		default:
			f = float64(e.Uint())
		}
		sum += f * f
	}
	raw := a.bytes()
	if data, ok := a.data.([]float64); ok && math.IsNaN(sum) {
		// All NaNs count as equal.
		data = slices.Clone(data)
		for i, f := range data {
			if f != f {
				data[i] = math.NaN()
			}
		}
		raw = array{data: data}.bytes()
	}
	return fmt.Sprintf("%s %s%v rms %.4g bits %s", a.name, dtype, a.shape, math.Sqrt(sum/float64(max(1, v.Len()))), checksum(raw))
}

// lines returns the lines of a model: of its headers, with the settings in the
// order of their names, and of its arrays. A model inside a model inside a model
// takes one line.
func (s stored) lines(t *testing.T) []string {
	t.Helper()
	var lines []string
	deep := map[string][]string{}
	add := func(name, line string) {
		if p := strings.SplitAfterN(name, "/", 3); len(p) == 3 {
			deep[p[0]+p[1]] = append(deep[p[0]+p[1]], line)
		} else {
			lines = append(lines, line)
		}
	}
	for _, p := range s.parts {
		text := canonical(t, p.config)
		if p.prefix != "" {
			text = "bits " + checksum([]byte(text))
		}
		add(p.prefix, fmt.Sprintf("%sheader %s %s %s", p.prefix, p.method, p.version, text))
	}
	for _, a := range s.arrays {
		add(a.name, a.String())
	}
	for _, name := range slices.Sorted(maps.Keys(deep)) {
		lines = append(lines, fmt.Sprintf("%s bits %s", name, checksum([]byte(strings.Join(deep[name], "\n")))))
	}
	return lines
}

// canonical returns JSON with the keys of every object sorted.
func canonical(t *testing.T, text string) string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var x any
	if err := d.Decode(&x); err != nil {
		t.Fatal(err)
	}
	ordered, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	return string(ordered)
}

// checksum returns a short hash, as it need not resist forgery.
func checksum(b []byte) string {
	digest := sha256.Sum256(b)
	return fmt.Sprintf("%x", digest[:5])
}

// Fingerprint fits the estimator to dense and sparse rows, to targets with and
// without weights, and on one goroutine and several. It compares the models and
// their outputs for other rows with the fingerprint of the test's name. Check
// does this, too; call Fingerprint for settings that need no other test.
func (s Subject) Fingerprint(t *testing.T) {
	if why := incomparable(); why != "" && !*renew {
		t.Skip("fingerprints are not compared: " + why)
	}
	thin := func(x mat.Matrix) mat.Matrix {
		y := mat.DenseCopyOf(x)
		y.Apply(func(_, _ int, v float64) float64 {
			if math.Abs(v) < 0.8 {
				return 0
			}
			return v
		}, y)
		return sparse.FromDense(y)
	}
	type variant struct {
		name string
		d, x Data
	}
	dense := variant{"dense", Problem(21, 120, 4, 3), Problem(22, 30, 4, 3)}
	csr := dense
	csr.name, csr.d.X, csr.x.X = "sparse", thin(dense.d.X), thin(dense.x.X)
	variants := []variant{dense, csr}
	if s.Weighted {
		v := dense
		v.name, v.d.Weights = "without weights", nil
		variants = append(variants, v)
	}
	if s.Kind == Classification {
		variants = append(variants, variant{"two classes", Problem(23, 80, 4, 2), dense.x})
	}
	AtGeneric(t, func() {
		for i, v := range variants {
			r := run
			r.Workers = 1 + 2*(i%2)
			m := s.fit(t, v.d, r)
			lines := describe("output", m.Output(v.x.X))
			if m.Encode != nil {
				lines = append(lines, takeApart(t, write(t, encoder(m.Encode))).lines(t)...)
			}
			if line := statistics(m.Public); line != "" {
				lines = append(lines, "stats"+line)
			}
			name := strings.TrimSuffix(t.Name(), "/fingerprint")
			hold(t, name+": "+v.name, lines)
		}
	})
}

// statistics lists the fields of the result of m's method Stats with their
// values, or with the checksums of long values. Times are omitted.
func statistics(m any) string {
	if m == nil {
		return ""
	}
	f := reflect.ValueOf(m).MethodByName("Stats")
	if !f.IsValid() {
		return ""
	}
	v := f.Call(nil)[0]
	var line string
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() || strings.HasSuffix(f.Name, "Seconds") {
			continue
		}
		var b strings.Builder
		writeFields(&b, v.Field(i))
		value := b.String()
		if len(value) > 10 {
			value = " #" + checksum([]byte(value))[:6]
		}
		line += " " + f.Name + value
	}
	return line
}

// writeFields writes all fields of statistics except times.
func writeFields(b *strings.Builder, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !strings.HasSuffix(f.Name, "Seconds") {
				b.WriteString(f.Name + ":")
				writeFields(b, v.Field(i))
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			writeFields(b, v.Elem())
		}
	case reflect.Slice:
		fmt.Fprintf(b, "%d", v.Len())
		for i := range v.Len() {
			writeFields(b, v.Index(i))
		}
	default:
		fmt.Fprintf(b, " %v", v.Interface())
	}
}

var (
	printsMutex sync.Mutex
	renewed     = map[string]bool{} // top-level tests whose old fingerprints have been removed
)

// hold compares lines with those stored under name, or stores them with -renew.
func hold(t *testing.T, name string, lines []string) {
	t.Helper()
	if why := incomparable(); why != "" {
		if *renew {
			t.Fatal("fingerprints are not renewed here: " + why)
		}
		return
	}
	seen := map[string]bool{}
	for _, line := range lines {
		if seen[first(line)] {
			t.Fatalf("two items of the fingerprint have the name %s", first(line))
		}
		seen[first(line)] = true
	}
	printsMutex.Lock()
	defer printsMutex.Unlock()
	prints, err := readPrints()
	if err != nil {
		t.Fatal(err)
	}
	if !*renew {
		for _, difference := range compare(prints[name], lines) {
			t.Errorf("%s: %s", name, difference)
		}
		return
	}
	if testing.Short() {
		t.Fatal("fingerprints are not renewed with -short, which leaves tests out")
	}
	// When whole tests run, the fingerprints of tests that no longer exist are
	// removed.
	subtests := strings.Contains(flag.Lookup("test.run").Value.String(), "/")
	if top, _, _ := strings.Cut(t.Name(), "/"); !subtests && !renewed[top] {
		renewed[top] = true
		for name := range prints {
			if rest, is := strings.CutPrefix(name, top); is && (rest == "" || rest[0] == '/' || rest[0] == ':') {
				delete(prints, name)
			}
		}
	}
	prints[name] = lines
	if err := writePrints(prints); err != nil {
		t.Fatal(err)
	}
}

// incomparable returns the reason why numbers are rounded differently here than
// where the fingerprints were taken, or "".
func incomparable() string {
	x, y := math.Nextafter(1, 2), math.Nextafter(1, 0)
	switch {
	case runtime.GOARCH != "amd64":
		return "they are those of amd64"
	case !asmtest.Detected():
		return "they are those of a CPU with FMA and of a build with assembly"
	case multiplyAdd(x, y, -1) != float64(x*y)-1:
		return "the compiler fuses products and sums"
	}
	return ""
}

//go:noinline
func multiplyAdd(x, y, z float64) float64 { return x*y + z }

// first returns the name at the start of a line of a fingerprint.
func first(line string) string {
	word, _, _ := strings.Cut(line, " ")
	return word
}

// compare returns the lines, by their first words, in which got differs from want.
func compare(want, got []string) []string {
	if want == nil {
		return []string{"there is no fingerprint; go test -renew writes it"}
	}
	old := map[string]string{}
	for _, line := range want {
		old[first(line)] = line
	}
	var differences []string
	for _, line := range got {
		switch was, ok := old[first(line)]; {
		case !ok:
			differences = append(differences, "new: "+line)
		case was != line:
			differences = append(differences, "is  "+line+"\n\twas "+was)
		}
		delete(old, first(line))
	}
	for _, line := range want {
		if _, left := old[first(line)]; left {
			differences = append(differences, "gone: "+line)
		}
	}
	return differences
}

// readPrints reads the fingerprints of the package. Each has a name on a line of
// its own, followed by indented lines.
func readPrints() (map[string][]string, error) {
	text, err := os.ReadFile(fingerprintFile)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	prints := map[string][]string{}
	var name string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if item, is := strings.CutPrefix(line, "\t"); is {
			prints[name] = append(prints[name], item)
		} else {
			name = line
		}
	}
	return prints, nil
}

func writePrints(prints map[string][]string) error {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(prints)) {
		b.WriteString(name + "\n")
		for _, line := range prints[name] {
			b.WriteString("\t" + line + "\n")
		}
	}
	if err := os.MkdirAll(filepath.Dir(fingerprintFile), 0o755); err != nil {
		return err
	}
	return modelfile.WriteFile(fingerprintFile, func(w io.Writer) error {
		_, err := io.WriteString(w, b.String())
		return err
	})
}
