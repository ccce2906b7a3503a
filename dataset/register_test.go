package dataset

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
)

// A program without the readers says how to get one that has them.
func TestColumnarMissing(t *testing.T) {
	for _, text := range []string{"PAR1xxxx", "ARROW1\x00\x00", "\xff\xff\xff\xff\x10\x00\x00\x00"} {
		if _, err := Read(strings.NewReader(text), Options{}); err == nil || !strings.Contains(err.Error(), "go build -tags parquet") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// toys is a format whose reader is registered.
func toys() Format {
	return Format{&codec{
		name:   "toys",
		sniff:  func([]byte) likelihood { return certain },
		target: true,
		table:  openTyped,
		reader: new(atomic.Pointer[func(in *Input) (Table, error)]),
	}}
}

// toyTable has the columns a, b and c: a row for each byte of the file.
type toyTable struct {
	in     *Input
	closed *bool
	fail   error // of the row of a '!'
}

func (t *toyTable) Columns() []string { return []string{"a", "b", "c"} }

func (t *toyTable) Use(k int) (bool, error) {
	if k == 1 {
		return false, errors.New("is no toy")
	}
	return k == 2, nil
}

func (t *toyTable) Next() ([]Cell, error) {
	c, err := t.in.Reader.ReadByte()
	if err != nil {
		return nil, err
	}
	cells := []Cell{NumberCell(float64(c)), {}, TextCell([]byte(" red "))}
	switch c {
	case '!':
		return nil, t.fail
	case 'i':
		cells[0] = NumberCell(math.Inf(1))
	case 'n':
		cells[0] = NumberCell(math.NaN())
	case 'r':
		cells[0] = RefusedCell("no", "written")
	case 'u':
		cells[2] = TextCell([]byte{0xff})
	case ' ':
		cells[2] = TextCell([]byte{c})
	}
	return cells, nil
}

func (t *toyTable) Close() error { *t.closed = true; return nil }

// A registered reader is read from, its errors have the place, and it is closed.
func TestRegisterTable(t *testing.T) {
	f, closed, fail := toys(), false, error(nil)
	RegisterTable(f, func(in *Input) (Table, error) {
		if in.Memory != 1<<30 {
			t.Errorf("the limit is %d", in.Memory)
		}
		if head, _ := in.Reader.Peek(1); string(head) == "?" {
			return nil, in.Errorf("it begins with %s", head)
		}
		return &toyTable{in: in, closed: &closed, fail: fail}, nil
	})
	o := Options{Format: f, Name: "f", Table: true, Target: "a", Ignore: []string{"b"}, MemoryLimit: 1 << 30, Task: Regression}
	s, err := Read(strings.NewReader("12 "), o)
	if err != nil || !closed || !slices.Equal(s.Value, []float64{'1', '2', ' '}) || s.Schema.Columns[0].Levels[0] != "red" || !s.Schema.Columns[0].Missing {
		t.Fatalf("%+v, %v", s, err)
	}
	if s, err = Read(strings.NewReader("r"), Options{Format: f, Task: NoTarget, Ignore: []string{"a", "b"}, Keep: []string{"a"}, MemoryLimit: 1 << 30, Schema: s.Schema}); err != nil || s.Kept[0].Cells[0] != "written" {
		t.Errorf("%+v, %v", s, err)
	}
	all := o
	all.Ignore = nil
	for _, c := range []struct {
		o          Options
		text, want string
		fail       error
	}{
		{o, "?", "f: it begins with ?", nil},
		{all, "1", `f: column "b" is no toy`, nil},
		{o, "1i", `f: row 2, column "a": the number is not finite`, nil},
		{o, "1r", `f: row 2, column "a": no`, nil},
		{o, "12u", `f: row 3, column "c": the cell holds bytes that are no text`, nil},
		{o, "1n", `f: row 2, column "a": the target is missing; such rows can be left out`, nil},
		{o, "1!", "f: damp", errors.New("damp")},
		{o, "1!", "f: the file ends too early", io.ErrUnexpectedEOF},
		{o, "1!", (&gram.MemoryError{Need: 2, Limit: 1}).Error(), &gram.MemoryError{Need: 2, Limit: 1}},
	} {
		fail = c.fail
		if _, err := Read(strings.NewReader(c.text), c.o); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
	fail = errors.New("a row is read") // a table without columns may have any number of them
	if _, err := Read(strings.NewReader("!"), Options{Format: f, Task: NoTarget, Ignore: []string{"a", "b", "c"}, MemoryLimit: 1 << 30}); err == nil || err.Error() != "input: there are no columns beside the target" {
		t.Error(err)
	}
}

// A format takes one reader, while others may read, and those of this package take none.
func TestRegisterTablePanics(t *testing.T) {
	f := toys()
	open := func(in *Input) (Table, error) { return nil, in.Errorf("no") }
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			if _, err := Read(strings.NewReader("1"), Options{Format: f}); err == nil {
				t.Error("there is no error")
			}
		})
	}
	RegisterTable(f, open)
	readers.Wait()
	for want, register := range map[string]func(){
		"second time":     func() { RegisterTable(f, open) },
		"takes no reader": func() { RegisterTable(CSV, open) },
		"auto":            func() { RegisterTable(AutoFormat, open) },
		"of no reader":    func() { RegisterTable(toys(), nil) },
	} {
		if text, is := must.Recovered(register).(string); !is || !strings.Contains(text, want) {
			t.Errorf("%s: %v", want, text)
		}
	}
}

// What can be read only once is read into memory, up to the limit, and can be read again.
func TestInputReaderAt(t *testing.T) {
	for name, r := range map[string]io.Reader{
		"file": strings.NewReader("abcdef"), "stream": io.MultiReader(strings.NewReader("abcdef")), "packed": bytes.NewReader(compress(t, []byte("abcdef"))),
	} {
		in := must.Have(newInput(r, "f"))(t)
		public := &Input{Reader: in.r, Memory: 6, in: in}
		at, size, err := public.ReaderAt()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		whole := make([]byte, size)
		if _, err := at.ReadAt(whole, 0); err != nil && err != io.EOF || string(whole) != "abcdef" {
			t.Errorf("%s: %q, %v", name, whole, err)
		}
		if rest, err := io.ReadAll(public.Reader); err != nil || string(rest) != "abcdef" {
			t.Errorf("%s: %q is left, %v", name, rest, err)
		}
	}
	in := must.Have(newInput(io.MultiReader(strings.NewReader("abcdef")), "f"))(t)
	var limit *gram.MemoryError
	if _, _, err := (&Input{Reader: in.r, Memory: 5, in: in}).ReaderAt(); !errors.As(err, &limit) {
		t.Error(err)
	}
}

// memoryTable has rows in memory.
type memoryTable struct {
	names []string
	rows  [][]Cell
}

func (t *memoryTable) Columns() []string     { return t.names }
func (t *memoryTable) Use(int) (bool, error) { return false, nil }
func (t *memoryTable) Close() error          { return nil }
func (t *memoryTable) Next() ([]Cell, error) {
	if len(t.rows) == 0 {
		return nil, io.EOF
	}
	row := t.rows[0]
	t.rows = t.rows[1:]
	return row, nil
}

// A table in memory is read as the same CSV is, also a second time for the kinds of its columns, and its columns are
// found by the names of a schema.
func TestReadTable(t *testing.T) {
	csv := "size,color,kind\n1.5,red,yes\n2,blue,no\n,red,yes\n4,,no\n"
	want := must.Have(Read(strings.NewReader(csv), Options{Table: true, Target: "kind", Format: CSV}))(t)
	table := func(order ...int) func() (Table, error) {
		return func() (Table, error) {
			m := &memoryTable{}
			for i, line := range strings.Split(strings.TrimSpace(csv), "\n") {
				var row []Cell
				for _, k := range order {
					text := strings.Split(line, ",")[k]
					if i == 0 {
						m.names = append(m.names, text)
					} else if v, reason := parseNumber([]byte(text)); reason == "" {
						row = append(row, NumberCell(v))
					} else {
						row = append(row, TextCell([]byte(text)))
					}
				}
				if i > 0 {
					m.rows = append(m.rows, row)
				}
			}
			return m, nil
		}
	}
	got, err := ReadTable(table(0, 1, 2), Options{Table: true, Target: "kind"})
	if err != nil || !sameCells(got.X, want.X) || !reflect.DeepEqual(got.Schema, want.Schema) || !reflect.DeepEqual(got.Labels, want.Labels) {
		t.Errorf("%v: %+v, want %+v", err, got, want)
	}
	turned, err := ReadTable(table(1, 0), Options{Table: true, Task: NoTarget, Schema: want.Schema, Storage: Dense})
	if err != nil || !sameCells(turned.X, want.X) {
		t.Errorf("%v: columns in another order: %+v", err, turned)
	}
	if _, err := ReadTable(func() (Table, error) { return nil, errors.New("nothing here") }, Options{Table: true}); err == nil || !strings.Contains(err.Error(), "nothing here") {
		t.Errorf("a table that does not open: %v", err)
	}
}
