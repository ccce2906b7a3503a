package modelfile_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/gramworks/gram/modelfile"
)

type Settings struct{ Lambda float64 }

type Line struct {
	Config Settings
	Coef   []float64
}

func (l *Line) Encode(w *modelfile.Writer) error {
	w.Float64("coef", l.Coef)
	return w.Header("line", 1, l.Config)
}

func DecodeLine(f *modelfile.File) (*Line, error) {
	var l Line
	if _, err := f.Header("line", 1, &l.Config); err != nil {
		return nil, err
	}
	var err error
	l.Coef, err = f.Float64("coef", 2)
	return &l, err
}

func ExampleModel() {
	var b bytes.Buffer
	if err := modelfile.Write(&b, &Line{Settings{0.5}, []float64{2, -1}}); err != nil {
		log.Fatal(err)
	}
	f, err := modelfile.Read(&b)
	if err != nil {
		log.Fatal(err)
	}
	l, err := DecodeLine(f)
	fmt.Println(f.Method(), l.Config.Lambda, l.Coef, err)
	// Output: line 0.5 [2 -1] <nil>
}

func ExampleWriter_Sub() {
	var b bytes.Buffer
	err := modelfile.Write(&b, pair{&Line{Coef: []float64{1, 2}}, &Line{Coef: []float64{3, 4}}})
	if err != nil {
		log.Fatal(err)
	}
	f, err := modelfile.Read(&b)
	if err != nil {
		log.Fatal(err)
	}
	right, err := f.Sub("right")
	if err != nil {
		log.Fatal(err)
	}
	l, err := DecodeLine(right)
	fmt.Println(f.Names(), l.Coef, err)
	// Output: [left/coef right/coef] [3 4] <nil>
}

type pair struct{ left, right *Line }

func (p pair) Encode(w *modelfile.Writer) error {
	if err := p.left.Encode(w.Sub("left")); err != nil {
		return err
	}
	if err := p.right.Encode(w.Sub("right")); err != nil {
		return err
	}
	return w.Header("pair", 1, struct{}{})
}

func ExampleFormatError() {
	var b bytes.Buffer
	if err := modelfile.Write(&b, &Line{Coef: []float64{2, -1}}); err != nil {
		log.Fatal(err)
	}
	damaged := b.Bytes()
	damaged[len(damaged)-1] ^= 1
	_, err := modelfile.Read(bytes.NewReader(damaged))
	fmt.Println(err)
	// Output: model file, array "coef" at byte 256: damaged: checksum c94540f7, want 3b2ec3f4
}
