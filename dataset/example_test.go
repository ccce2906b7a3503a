package dataset_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

const iris = `sepal,petal,kind
5.1,1.4,setosa
4.9,1.3,setosa
7.0,4.7,versicolor
6.4,4.5,versicolor
`

func ExampleRead() {
	s, err := dataset.Read(strings.NewReader("+1 1:0.5 3:2\n-1 2:1\n"), dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mat.Formatted(s.X))
	fmt.Println(s.Labels.Class, s.Labels.Names)
	// Output:
	// ⎡0.5    0    2⎤
	// ⎣  0    1    0⎦
	// [1 0] [-1 +1]
}

func ExampleSet() {
	s, err := dataset.Read(strings.NewReader(iris), dataset.Options{Name: "iris.csv"})
	if err != nil {
		log.Fatal(err)
	}
	n, d := s.Dims()
	fmt.Println(n, d, s.Task(), s.Labels.Names, s.Select([]int{3, 0}).Labels.Class)
	// Output: 4 2 classes [setosa versicolor] [1 0]
}

func ExampleOptions() {
	s, err := dataset.Read(strings.NewReader(iris), dataset.Options{Target: "petal", Task: dataset.Regression, Format: dataset.CSV})
	fmt.Println(s, err) // the column "kind" is not a number
	// Output: <nil> input:2:9: "setosa" is not a number
}

func ExampleParseError() {
	_, err := dataset.Read(strings.NewReader("1 1:0.5\n1 3:1 2:7\n"), dataset.Options{Name: "train.libsvm"})
	var e *dataset.ParseError
	fmt.Println(errors.As(err, &e), e.Line, e.Col)
	fmt.Println(err)
	// Output:
	// true 2 7
	// train.libsvm:2:7: index 2 after 3; indices must ascend
}

func ExampleRemedies() {
	_, err := dataset.Read(strings.NewReader("a,y\n\"1,5\",2\n"), dataset.Options{Comma: ','})
	fmt.Println(err)
	for _, o := range dataset.Remedies(err) {
		fmt.Println(o.DecimalComma)
	}
	// Output:
	// input:2:1: "1,5" is not a number
	// true
}

func ExampleFormat() {
	f, err := dataset.ParseFormat("NPY")
	fmt.Println(f, err)
	_, err = dataset.ParseFormat("orc")
	fmt.Println(err)
	// Output:
	// npy <nil>
	// format is orc, want auto, libsvm, csv, jsonl, xml, idx, npy, parquet or arrow
}

func ExampleTask() {
	for _, text := range []string{"1 1:1\n2 1:1\n", "1.5 1:1\n2 1:1\n", "1,4 1:1\n2 1:1\n"} {
		s, err := dataset.Read(strings.NewReader(text), dataset.Options{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(s.Task())
	}
	// Output:
	// classes
	// regression
	// multilabel
}

func ExampleStorage() {
	const text = "1 1:1 20:1\n2 3:1\n"
	for _, storage := range []dataset.Storage{dataset.AutoStorage, dataset.Dense, dataset.Sparse} {
		s, err := dataset.Read(strings.NewReader(text), dataset.Options{Storage: storage})
		if err != nil {
			log.Fatal(err)
		}
		_, isSparse := s.X.(*sparse.CSR)
		fmt.Println(isSparse)
	}
	// Output:
	// true
	// false
	// true
}

func ExampleInfo() {
	dir, err := os.MkdirTemp("", "dataset")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "friedman1.libsvm.gz")
	if err := dataset.Save(context.Background(), path, dataset.Friedman1(1000, 10, 1, 1)); err != nil {
		log.Fatal(err)
	}
	info, err := dataset.Scan(context.Background(), path, dataset.Options{})
	fmt.Println(info.Format, info.N, info.D, info.Task, info.Density(), err)
	// Output: libsvm 1000 10 regression 1 <nil>
}

func ExampleBlocks() {
	dir, err := os.MkdirTemp("", "dataset")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "rings.csv")
	if err := dataset.Save(context.Background(), path, dataset.Rings(1000, 3, .1, 1)); err != nil {
		log.Fatal(err)
	}
	for s, err := range dataset.Blocks(context.Background(), path, dataset.Options{}, 400) {
		if err != nil {
			log.Fatal(err)
		}
		n, d := s.Dims()
		fmt.Println(n, d, s.Labels.Names)
	}
	// Output:
	// 400 2 [0 1 2]
	// 400 2 [0 1 2]
	// 200 2 [0 1 2]
}

func ExampleConvert() {
	dir, err := os.MkdirTemp("", "dataset")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "in.csv"), filepath.Join(dir, "out.libsvm")
	if err := os.WriteFile(in, []byte("a,b,y\n1,0,2.5\n0,3,-1\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	if _, err := dataset.Convert(context.Background(), in, out, dataset.Options{}, dataset.AutoFormat, gram.Run{}); err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile(out)
	fmt.Print(string(text), err)
	// Output:
	// 2.5 1:1
	// -1 2:3
	// <nil>
}

func ExampleScaling() {
	x := mat.NewDense(3, 2, []float64{0, 5, 10, 7, 5, 9})
	s, err := dataset.MinMax(x, 0, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mat.Formatted(s.Apply(x)))
	fmt.Println(s.Densifies(), s.Value(0, 20))
	// Output:
	// ⎡  0    0⎤
	// ⎢  1  0.5⎥
	// ⎣0.5    1⎦
	// true 2
}

func ExampleSet_Split() {
	s := dataset.Checkerboard(1000, 4, 0, 1)
	train, test := s.Split(0.3, 7)
	n, _ := train.Dims()
	m, _ := test.Dims()
	fmt.Println(n, m)
	// Output: 700 300
}

func ExampleSet_Folds() {
	s := dataset.Rings(10, 2, 0, 1)
	folds := s.Folds(3, 1)
	for f := range folds {
		train, test := dataset.Fold(folds, f)
		fmt.Println(len(train), len(test))
	}
	// Output:
	// 6 4
	// 7 3
	// 7 3
}

func ExampleToy() {
	s, clean := dataset.Steps.Draw(700, 1)
	n, d := s.Dims()
	fmt.Println(n, d, len(clean), dataset.Steps.F(1.2))
	// Output: 700 1 700 1.5
}

func ExampleDir() {
	dir, err := os.MkdirTemp("", "dataset")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{"toy.train.libsvm": "1 1:1\n2 2:1\n", "toy.test.libsvm": "1 1:1\n2 4:1\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	train, test, err := dataset.Dir(dir).Load("toy", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	// The training file alone would have two columns.
	_, d := train.Dims()
	_, e := test.Dims()
	fmt.Println(d, e)
	// Output: 4 4
}

func ExampleFiles() {
	_, err := dataset.Dir(os.TempDir()).Find("no-such-set")
	fmt.Println(errors.Is(err, os.ErrNotExist))
	// Output: true
}

func ExampleLabeledSplit() {
	dir, err := os.MkdirTemp("", "dataset")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "toy.splits.txt")
	if err := os.WriteFile(path, []byte("2 0 5 8\n2 1 1 3\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	splits, err := dataset.ReadSplits(path)
	fmt.Println(splits, err)
	// Output: [{0 [5 8]} {1 [1 3]}] <nil>
}
