package protocol

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// Error says how a table broke the protocol.
type Error struct{ Reason string }

func (e *Error) Error() string { return "protocol: " + e.Reason }

func broken(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// Data finds data sets. A nil *Data has none.
type Data struct {
	dir  dataset.Dir
	used map[string]string // name: how it was handed out
}

// At returns the data sets in a directory.
func At(dir dataset.Dir) *Data { return &Data{dir: dir, used: map[string]string{}} }

// Dir returns the directory of the data sets, "" for a nil *Data.
func (d *Data) Dir() string {
	if d == nil {
		return ""
	}
	return string(d.dir)
}

// Again returns the same data sets for another table.
func (d *Data) Again() *Data {
	if d == nil {
		return nil
	}
	return At(d.dir)
}

// load reads a data set; train is nil if it is not at hand. With both the rows of
// the test file come after the others. A table that gets all rows of a set gets no
// split of it.
func (d *Data) load(name, use string, both bool, o dataset.Options) (train, test *dataset.Set, err error) {
	if d == nil || name == "" {
		return nil, nil, nil
	}
	if before := d.used[name]; before != "" && before != use {
		return nil, nil, broken("%s was handed out as %s and is asked for as %s", name, before, use)
	}
	train, test, err = d.dir.Load(name, o)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	d.used[name] = use
	if both && test != nil {
		train, err = train.Append(test)
	}
	return train, test, err
}

// Rows returns the rows of a set without targets, those of the test file after
// the others if both is set; nil if the set is not at hand.
func (d *Data) Rows(name string, both bool, o dataset.Options) (mat.Matrix, error) {
	train, _, err := d.load(name, "rows without targets", both, o)
	if train == nil || err != nil {
		return nil, err
	}
	return train.X, nil
}

// Split returns a set that comes in two files; nil if they are not at hand.
func (d *Data) Split(name string, o dataset.Options) (*Split, error) {
	train, test, err := d.load(name, "a split", false, o)
	if train == nil || test == nil || err != nil {
		return nil, err
	}
	return newSplit(train, test)
}

// SplitBy returns a multi-label set, training file followed by test file, divided
// by a list of test rows beside it; nil if any of it is not at hand.
func (d *Data) SplitBy(name, list string) (*Split, error) {
	all, _, err := d.load(name, "a split", true, dataset.Options{})
	if all == nil || err != nil {
		return nil, err
	}
	path := filepath.Join(string(d.dir), "multilabel", list)
	rows, err := dataset.ReadRows(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	slices.Sort(rows)
	rows = slices.Compact(rows)
	n, _ := all.Dims()
	if len(rows) == 0 || rows[len(rows)-1] >= n {
		return nil, fmt.Errorf("%s: rows outside of 0 to %d", path, n-1)
	}
	return newSplit(all.Select(complement(n, rows)), all.Select(rows))
}

// complement are the numbers below n that are not in rows, which ascend.
func complement(n int, rows []int) []int {
	var out []int
	for i := range n {
		if _, in := slices.BinarySearch(rows, i); !in {
			out = append(out, i)
		}
	}
	return out
}

// Pool returns the rows of a set to cut splits of: its training file, and its
// test file after that if both is set. It is nil if the set is not at hand.
func (d *Data) Pool(name string, both bool, o dataset.Options) (*Pool, error) {
	all, _, err := d.load(name, "a split", both, o)
	if all == nil || err != nil {
		return nil, err
	}
	return &Pool{all: all}, nil
}

// Generated returns the rows of d, which come from no file, as a pool to cut splits of.
func Generated(d *dataset.Set) *Pool { return &Pool{all: d} }

// Pool is a set whose rows are training rows of one split and test rows of
// another.
type Pool struct {
	sealed
	all      *dataset.Set
	reserved []int // reserved rows, ascending
	seen     string
}

// Dims returns the number of rows and columns.
func (p *Pool) Dims() (n, d int) { return p.all.Dims() }

// Classes returns the names of the classes.
func (p *Pool) Classes() []string { return p.all.Labels.Names }

// Whole returns the pool for methods that see all rows by definition.
func (p *Pool) Whole() *Whole { return &Whole{d: p.all, seen: p.seen} }

// Sample returns a pool of n rows at random, or p if it has no more.
func (p *Pool) Sample(n int, seed uint64) *Pool {
	if all, _ := p.Dims(); all > n {
		return &Pool{all: p.all.Select(dataset.Sample(all, n, seed))}
	}
	return p
}

// Only returns the rows of some classes, at most n of them (0: no limit), the
// first in the file.
func (p *Pool) Only(classes []string, n int) *Pool {
	y := gram.Labels{Names: classes}
	var index []int
	for i, c := range p.all.Labels.Class {
		k := slices.Index(classes, p.all.Labels.Names[c])
		if k >= 0 && (n == 0 || len(index) < n) {
			index, y.Class = append(index, i), append(y.Class, k)
		}
	}
	return &Pool{all: &dataset.Set{Name: p.all.Name, X: dataset.SelectRows(p.all.X, index), Labels: y}}
}

// Reserve returns n rows, at random, to choose settings with. They are training
// rows of every split that is cut afterwards.
func (p *Pool) Reserve(n int, seed uint64) *dataset.Set {
	all, _ := p.Dims()
	p.reserved = dataset.Sample(all, min(n, all/2), rng.Derive(seed, "reserve"))
	return p.all.Select(p.reserved)
}

// Random cuts off a share of the rows as test part.
func (p *Pool) Random(share float64, seed uint64) (*Split, error) {
	free := p.free()
	_, test := p.all.Select(free).SplitRows(share, seed)
	return p.cut(free, test)
}

// Folds returns k splits; each row that is not reserved is in one test part.
func (p *Pool) Folds(k int, seed uint64) ([]*Split, error) {
	free := p.free()
	var out []*Split
	for _, test := range p.all.Select(free).Folds(k, seed) {
		s, err := p.cut(free, test)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// free are the rows that are not reserved.
func (p *Pool) free() []int {
	n, _ := p.Dims()
	return complement(n, p.reserved)
}

// cut returns the split with the rows free[test] as test part. All other rows, the reserved ones among them, are training rows.
func (p *Pool) cut(free, test []int) (*Split, error) {
	rows := make([]int, len(test))
	for i, t := range test {
		rows[i] = free[t]
	}
	n, _ := p.Dims()
	s, err := newSplit(p.all.Select(complement(n, rows)), p.all.Select(rows))
	if err == nil {
		s.seen = p.seen
	}
	return s, err
}

// Opened hands out all rows with their targets. Splits that are cut afterwards
// publish the reason with every figure.
func (p *Pool) Opened(reason string) *dataset.Set {
	p.seen = reason
	return p.all
}
