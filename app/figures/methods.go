package figures

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/dataset"
)

// Fit is what the commands gram fit, gram eval and gram compile say of one set of flags.
type Fit struct {
	Flags      string    `json:"flags"`
	Scores     []float64 `json:"scores"`     // those of the study, in its order
	Seconds    float64   `json:"seconds"`    // user and system time of gram fit
	Operations float64   `json:"operations"` // of a prediction by the exact program, in multiples of a linear model's; 0: none
	Bytes      int64     `json:"bytes"`      // of the file of the model
}

// study is a data set with the flags that are tried on it.
type study struct {
	data, title string
	common      string // flags of every fit
	fourth      bool   // every fourth row of the file is the test part
	scores      []string
	flags       []string
}

// studies are the measurements of docs/choosing.md. Their settings are those of tests and tables of this repository, or defaults.
var studies = []study{
	{data: "a9a", title: "32 561 rows, 123 columns of zeros and ones, two classes", common: "--dim 123", scores: []string{"accuracy"}, flags: []string{
		"--method linear", "--method gbdt", "--method bka-svm --set gamma=0.05 --set c=1", "--method rff --set m=512 --set gamma=0.05",
		"--method nystrom --set m=512 --set gamma=0.05", "--method dc-svm --set gamma=0.05 --set c=1", "--method svm --set gamma=0.05 --set c=1",
		"--method goal-rff --set m=50 --set gamma=0.05",
	}},
	{data: "pendigits", title: "7 494 rows, 16 columns, ten classes", common: "--task classes --scale minmax", scores: []string{"accuracy"}, flags: []string{
		"--method linear", "--method svm --set gamma=2 --set c=10", "--method bka-svm --set gamma=2 --set c=10", "--method gbdt",
		"--method nystrom --set m=512 --set gamma=2 --set c=10", "--method rff --set m=512 --set gamma=2 --set c=10", "--method goal-rff --set m=50",
	}},
	{data: "cadata", title: "15 480 rows, 8 columns, values", common: "--task regression --scale standard", fourth: true, scores: []string{"rmse"}, flags: []string{
		"--method linear", "--method gbdt", "--method dc-krr --set gamma=0.25 --set lambda=0.01", "--method rff --set m=1024 --set gamma=0.25 --set lambda=0.01",
		"--method nystrom --set m=1024 --set gamma=0.25 --set lambda=0.01", "--method falkon --set m=1000 --set gamma=0.25 --set lambda=0.01",
		"--method falkon --set m=2000 --set gamma=0.25 --set lambda=0.01", "--method goal-rff --set m=50", "--method krr --set gamma=0.25 --set lambda=0.01",
	}},
	{data: "bibtex", title: "4 880 rows, 1 836 columns, 159 labels", scores: []string{"p@1", "p@3"}, flags: []string{
		"--method gimc-lff --set m=200", "--method leml", "--method plt", "--method fastxml", "--method gbml", "--method sleec",
	}},
}

// Command runs the command gram with arguments and returns what it prints and the user and
// system time that it took. A test may put another in place of Process.
type Command func(ctx context.Context, args ...string) (out []byte, seconds float64, err error)

// Process is the Command of an executable file.
func Process(executable string) Command {
	return func(ctx context.Context, args ...string) ([]byte, float64, error) {
		c := exec.CommandContext(ctx, executable, args...)
		var said bytes.Buffer
		c.Stderr = &said
		out, err := c.Output()
		if ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		if err != nil {
			return nil, 0, fmt.Errorf("gram %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(said.String()))
		}
		return out, (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds(), nil
	}
}

// MeasureMethods fits the methods of docs/choosing.md to the data sets of a folder, one command after the other,
// and judges them on the test parts. A data set that is not there is an error. progress, if
// not nil, is told what comes next.
func MeasureMethods(ctx context.Context, gram Command, dir dataset.Dir, progress func(done, total int, next string)) ([]Methods, error) {
	var out []Methods
	total, done := 0, 0
	for _, s := range studies {
		total += len(s.flags)
	}
	folder, err := os.MkdirTemp("", "figures")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	for _, s := range studies {
		train, test, err := s.files(ctx, dir, folder)
		if err != nil {
			return nil, err
		}
		stamp := bench.Watch()
		m := Methods{Data: s.data}
		for _, flags := range s.flags {
			if progress != nil {
				progress(done, total, s.data+" "+flags)
			}
			f, err := s.fit(ctx, gram, flags, train, test, filepath.Join(folder, "m.gram"))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.data, err)
			}
			m.Rows = append(m.Rows, f)
			done++
		}
		m.Stamp = stamp()
		out = append(out, m)
	}
	return out, nil
}

// files returns the files of the training and the test part.
func (s study) files(ctx context.Context, dir dataset.Dir, folder string) (train, test string, err error) {
	f, err := dir.Find(s.data)
	if err != nil || !s.fourth {
		return f.Train, f.Test, err
	}
	d, err := dataset.Open(f.Whole, dataset.Options{Task: dataset.Regression})
	if err != nil {
		return "", "", err
	}
	var part [2][]int
	n, _ := d.Dims()
	for i := range n {
		k := 0
		if i%4 == 3 {
			k = 1
		}
		part[k] = append(part[k], i)
	}
	var name [2]string
	for k, rows := range part {
		name[k] = filepath.Join(folder, fmt.Sprintf("%s-%d.libsvm", s.data, k))
		if err := dataset.Save(ctx, name[k], d.Select(rows)); err != nil {
			return "", "", err
		}
	}
	return name[0], name[1], nil
}

// fit measures one fit with the given flags: it fits to the file train, stores the model in the file model, and takes the scores
// on the file test.
func (s study) fit(ctx context.Context, gram Command, flags, train, test, model string) (Fit, error) {
	f := Fit{Flags: flags, Scores: make([]float64, len(s.scores))}
	args := append(strings.Fields(flags), strings.Fields(s.common)...)
	_, seconds, err := gram(ctx, append([]string{"fit", "--quiet", "--json", "--data", train, "-o", model}, args...)...)
	if err != nil {
		return f, err
	}
	f.Seconds = digits(seconds)
	info, err := os.Stat(model)
	if err != nil {
		return f, err
	}
	f.Bytes = info.Size()
	scores, _, err := gram(ctx, "eval", "--quiet", "--json", "--model", model, "--data", test)
	if err != nil {
		return f, err
	}
	found := 0
	for d := json.NewDecoder(bytes.NewReader(scores)); ; {
		var figure struct {
			Metric string
			Value  float64
		}
		if err := d.Decode(&figure); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return f, err
		}
		for i, name := range s.scores {
			if name == figure.Metric {
				f.Scores[i] = digits(figure.Value)
				found++
			}
		}
	}
	if found != len(s.scores) {
		return f, fmt.Errorf("gram eval did not print %s", strings.Join(s.scores, ", "))
	}
	// Some models have no program.
	compiled, _, err := gram(ctx, "compile", "--quiet", "--json", "--method", "exact", "--model", model)
	if err != nil {
		return f, ctx.Err()
	}
	var program struct {
		FlopMultiple float64 `json:"flop_multiple"`
	}
	err = json.Unmarshal(compiled, &program)
	f.Operations = digits(program.FlopMultiple)
	return f, err
}
