package svm_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

func ExampleConfig() {
	rings := dataset.Rings(400, 2, 0.05, 1)
	m, err := svm.Config{Kernel: kernel.Gaussian{Gamma: 1}, C: 10}.Fit(context.Background(), rings.X, rings.Labels, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	wrong := 0
	for i, c := range m.Predict(nil, rings.X) {
		if c != rings.Labels.Class[i] {
			wrong++
		}
	}
	s := m.Stats().Problems[0]
	fmt.Println(wrong, "wrong;", s.Violation <= 1e-3, s.Gap < 0.01)
	// Output: 0 wrong; true true
}

func ExampleRegression() {
	x := mat.NewDense(5, 1, []float64{0, 1, 2, 3, 4})
	m, err := svm.Regression{Kernel: kernel.Linear{}, C: 100, Epsilon: gram.Set(0.5)}.Fit(context.Background(), x, []float64{1, 3, 5, 7, 9}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	// The flattest line within 0.5 of all values.
	fmt.Printf("%.2f\n", m.Predict(nil, mat.NewDense(2, 1, []float64{0, 10})))
	// Output: [1.50 19.00]
}

func ExampleSolve() {
	p := svm.Problem{
		Kernel: kernel.Linear{},
		X:      mat.NewDense(2, 1, []float64{-1, 1}),
		Target: []float64{-1, 1},
		Lower:  []float64{-10, 0},
		Upper:  []float64{0, 10},
	}
	s, err := svm.Solve(context.Background(), p)
	fmt.Println(s.Coef, s.Bias, s.Stats.Objective, err)
	// Output: [-0.5 0.5] 0 -0.5 <nil>
}

func ExampleReadLIBSVM() {
	file := `svm_type c_svc
kernel_type rbf
gamma 0.5
nr_class 2
total_sv 2
rho 0
label 1 -1
nr_sv 1 1
SV
1 1:1
-1 2:1
`
	m, err := svm.ReadLIBSVM(strings.NewReader(file), 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Classes(), m.Predict(nil, mat.NewDense(2, 2, []float64{2, 0, 0, 2})))
	m.WriteLIBSVM(os.Stdout)
	// Output:
	// [-1 1] [1 0]
	// svm_type c_svc
	// kernel_type rbf
	// gamma 0.5
	// nr_class 2
	// total_sv 2
	// rho 0
	// label 1 -1
	// nr_sv 1 1
	// SV
	// 1 1:1
	// -1 2:1
}

func ExampleNuSVC() {
	rings := dataset.Rings(400, 2, 0.3, 1)
	m, err := svm.NuSVC{Kernel: kernel.Gaussian{Gamma: 1}, Nu: 0.2}.Fit(context.Background(), rings.X, rings.Labels, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("at least a fifth are support vectors:", m.Stats().Support >= 80)
	_, err = svm.NuSVC{Kernel: kernel.Gaussian{Gamma: 1}, ClassWeights: []float64{3, 1}}.Fit(context.Background(), rings.X, rings.Labels, nil)
	fmt.Println(err == nil)
	_, err = svm.NuSVC{Kernel: kernel.Gaussian{Gamma: 1}, Nu: .6, ClassWeights: []float64{3, 1}}.Fit(context.Background(), rings.X, rings.Labels, nil)
	fmt.Println(err)
	// Output:
	// at least a fifth are support vectors: true
	// true
	// Nu is 0.6, want at most 0.5 for the classes -1 and 1, whose rows weigh 600 and 200
}

func ExampleNuSVR() {
	x := mat.NewDense(5, 1, []float64{0, 1, 2, 3, 4})
	m, err := svm.NuSVR{Kernel: kernel.Linear{}, C: 100, Nu: 0.4}.Fit(context.Background(), x, []float64{0, 1.5, 2, 2.5, 4}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f, all values within %.2f\n", m.Predict(nil, mat.NewDense(2, 1, []float64{0, 4})), m.Config().Epsilon.Value())
	// Output: [0.33 3.67], all values within 0.33
}

func ExampleOneClass() {
	rings := dataset.Rings(400, 2, 0.05, 1)
	m, err := svm.OneClass{Kernel: kernel.Gaussian{Gamma: 1}, Nu: 0.05}.Fit(context.Background(), rings.X, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range m.Predict(nil, mat.NewDense(2, 2, []float64{rings.X.At(0, 0), rings.X.At(0, 1), 5, 5})) {
		fmt.Println(m.Classes()[c])
	}
	// Output:
	// 1
	// -1
}
