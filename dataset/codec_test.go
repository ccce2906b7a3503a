package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/mat"
)

// toySet is a format of a number a line: the cells of a row after its value, rows
// apart by an empty line.
var toySet = Format{&codec{
	name:     "toy",
	summary:  "a number a line",
	suffixes: []string{".toy"},
	sniff: func(head []byte) likelihood {
		if bytes.HasPrefix(head, []byte("toy\n")) {
			return likely
		}
		return unlikely
	},
	open: func(in *textInput, o Options) (source, error) {
		s := &toySource{textSource{in}, newLines(in, o.MaxLine)}
		if line, err := s.lines.next(); err != nil || string(line) != "toy" {
			return nil, in.fail(1, 1, "the first line is not toy")
		}
		return s, nil
	},
	write: func(w *bufio.Writer, _ string, _ Info) (writer, error) {
		_, err := w.WriteString("toy\n")
		return toyWriter{w}, err
	},
	dense: true,
}}

type toySource struct {
	textSource
	lines *lines
}

func (s *toySource) size() (n, d, tags int) { return -1, -1, -1 }

func (s *toySource) next(r *row) error {
	*r = row{dense: true}
	for {
		line, err := s.lines.next()
		if err == io.EOF && r.hasValue || err == nil && len(line) == 0 {
			r.maxIndex = len(r.val)
			return nil
		}
		if err != nil {
			return err
		}
		v, reason := parseNumber(line)
		switch {
		case reason != "":
			return s.in.fail(s.lines.number, 1, "%s", reason)
		case !r.hasValue:
			r.line, r.value, r.hasValue = s.lines.number, v, true
		default:
			r.val = append(r.val, v)
		}
	}
}

type toyWriter struct{ w *bufio.Writer }

func (t toyWriter) write(s *Set, first int) error {
	n, _ := s.Dims()
	for i := range n {
		if first+i > 0 {
			fmt.Fprintln(t.w)
		}
		fmt.Fprintln(t.w, s.Value[i])
		for _, v := range mat.Row(nil, i, s.X) {
			fmt.Fprintln(t.w, v)
		}
	}
	return nil
}

// A format is one codec and one entry of formats: after that it is found by
// name, extension and contents, read, written, converted and listed.
func TestNewFormat(t *testing.T) {
	registry = append(registry, toySet)
	defer func() { registry = registry[:len(registry)-1] }()

	if f, err := ParseFormat("Toy"); err != nil || f != toySet || !slices.Contains(Formats(), toySet) {
		t.Fatal(f, err)
	}
	if _, err := ParseFormat("orc"); err == nil || !strings.Contains(err.Error(), "arrow or toy") {
		t.Error(err)
	}
	dir := t.TempDir()
	want := Friedman1(50, 5, 1, 1)
	in := func(name string) string { return filepath.Join(dir, name) }
	must.Do(t, Save(t.Context(), in("a.toy.gz"), want))
	o := Options{Task: Regression}
	same := func(path string) {
		t.Helper()
		got := must.Have(Open(path, o))(t)
		sameSet(t, got, want)
	}
	same(in("a.toy.gz"))
	for _, c := range [][2]string{{"a.toy.gz", "b.libsvm"}, {"b.libsvm", "c.toy"}, {"c.toy", "d.npy"}, {"d.npy", "e.toy"}} {
		if _, err := Convert(t.Context(), in(c[0]), in(c[1]), o, AutoFormat, gram.Run{}); err != nil {
			t.Fatalf("%v: %v", c, err)
		}
		same(in(c[1]))
	}
	if info, err := Scan(t.Context(), in("c.toy"), o); err != nil || info.Format != toySet || info.N != 50 || info.D != 5 {
		t.Errorf("%+v, %v", info, err)
	}
	if f, err := Dir(dir).Find("c"); err != nil || f.Whole != in("c.toy") {
		t.Errorf("%+v, %v", f, err)
	}

	// Without an extension the first line tells; errors say where.
	text := must.Have(os.ReadFile(in("c.toy")))(t)
	got := must.Have(Read(bytes.NewReader(text), o))(t)
	sameSet(t, got, want)
	_, err := Read(strings.NewReader("toy\n1\n2\n\n3\nx\n"), Options{Name: "f.toy"})
	bad{text: "x", line: 6, col: 1, want: "not a number"}.check(t, err)
	_, err = Read(strings.NewReader("toy\n1\n2\n"), Options{Target: "1"})
	var conf *gram.ConfigError
	if !errors.As(err, &conf) {
		t.Error(err)
	}
}
