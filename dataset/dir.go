package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gramworks/gram"
)

// Dir is a directory of data sets. Its files lie in folders (or in the
// directory itself) and are called NAME.EXT, or NAME.train.EXT and
// NAME.test.EXT; the name mnist stands for the four IDX files of MNIST.
type Dir string

// FindDir returns the directory named by the environment variable GRAM_DATA. If
// that is not set, or names no directory, the error says so and is
// fs.ErrNotExist.
func FindDir() (Dir, error) {
	d := os.Getenv("GRAM_DATA")
	if d == "" {
		return "", fmt.Errorf("no data sets: GRAM_DATA is not set: %w", fs.ErrNotExist)
	}
	if info, err := os.Stat(d); err != nil || !info.IsDir() {
		return "", fmt.Errorf("GRAM_DATA is %q, which is not a directory: %w", d, fs.ErrNotExist)
	}
	return Dir(d), nil
}

// folders is the order in which Find looks.
var folders = []string{"tabular", "multilabel", "images", "ssl"}

// Files are the files of a data set: either Train and Test, or Whole.
type Files struct {
	Train, Test, Whole string
}

// Find looks for a data set by name, "pendigits" or, to say which folder,
// "ssl/usps". Without a folder tabular, multilabel, images and ssl come first,
// in this order, then the directory itself and the other folders by name. If
// there is no such set the error is fs.ErrNotExist.
func (d Dir) Find(name string) (Files, error) {
	places := []string{}
	folder, base := filepath.Split(filepath.FromSlash(name))
	if folder != "" {
		places = append(places, folder)
	} else {
		places = append(append(places, folders...), ".")
		entries, err := os.ReadDir(string(d))
		if err != nil {
			return Files{}, err
		}
		for _, e := range entries {
			if e.IsDir() && !slices.Contains(places, e.Name()) {
				places = append(places, e.Name())
			}
		}
	}
	for _, place := range places {
		f, err := findIn(filepath.Join(string(d), place), base)
		if err != nil || f != (Files{}) {
			return f, err
		}
	}
	return Files{}, fmt.Errorf("no data set %q in %s: %w", name, string(d), fs.ErrNotExist)
}

func findIn(dir, name string) (Files, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return Files{}, nil
	}
	if err != nil {
		return Files{}, err
	}
	var f Files
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		format := extension(e.Name())
		if e.IsDir() || format == AutoFormat {
			continue
		}
		switch stem(path) {
		case name:
			f.Whole = path
		case name + ".train":
			f.Train = path
		case name + ".test":
			f.Test = path
		}
		if name == "mnist" {
			switch strings.TrimSuffix(e.Name(), ".gz") {
			case "train-images-idx3-ubyte":
				f.Train = path
			case "t10k-images-idx3-ubyte":
				f.Test = path
			}
		}
	}
	if f.Train != "" && f.Test != "" {
		f.Whole = ""
		return f, nil
	}
	if f.Whole == "" {
		f.Whole, f.Train, f.Test = f.Train, "", ""
		return f, nil
	}
	f.Train, f.Test = "", ""
	return f, nil
}

// Load reads a data set by name. test is nil if the set has no test part. Both
// parts have as many columns as the larger of the two files (a file of LIBSVM
// text does not say how many there are), the same storage, that of the training
// part, and the same class names.
func (d Dir) Load(name string, o Options) (train, test *Set, err error) {
	f, err := d.Find(name)
	if err != nil {
		return nil, nil, err
	}
	if f.Whole != "" {
		if train, err = Open(f.Whole, o); err != nil {
			return nil, nil, err
		}
		train.Name = filepath.Base(filepath.FromSlash(name))
		return train, nil, nil
	}
	train, test, err = OpenPair(f.Train, f.Test, o)
	if err != nil {
		return nil, nil, err
	}
	train.Name = filepath.Base(filepath.FromSlash(name))
	test.Name = train.Name
	return train, test, nil
}

// OpenPair reads a training and a test file so that both sets have the same
// columns, storage, task and class names. The columns are those of the larger
// file, the rest is decided by the training file; classes that only the test
// file has are added at their place in the order.
func OpenPair(trainPath, testPath string, o Options) (train, test *Set, err error) {
	if train, err = Open(trainPath, o); err != nil {
		return nil, nil, err
	}
	p := o
	p.Task = train.Task()
	p.Storage = Dense
	if gram.CSR(train.X) != nil {
		p.Storage = Sparse
	}
	if test, err = Open(testPath, p); err != nil {
		return nil, nil, err
	}
	_, d := train.Dims()
	_, e := test.Dims()
	if d != e {
		train.X, test.X = widen(train.X, max(d, e)), widen(test.X, max(d, e))
	}
	switch p.Task {
	case Classes:
		if !slices.Equal(train.Labels.Names, test.Labels.Names) {
			names := gram.NewLabels(append(slices.Clone(train.Labels.Names), test.Labels.Names...)).Names
			train.Labels, _ = train.Labels.Rename(names)
			test.Labels, _ = test.Labels.Rename(names)
		}
	case MultiLabel:
		labels := max(train.Tags.D, test.Tags.D)
		train.Tags.D, test.Tags.D = labels, labels
	}
	return train, test, nil
}
