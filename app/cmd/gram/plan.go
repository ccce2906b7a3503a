package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/cost"
	"github.com/gramworks/gram/app/cost/rates"
	"github.com/gramworks/gram/app/job"
	"github.com/gramworks/gram/app/search"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/num"
)

// planned is the output of gram fit --plan --json for one fit.
type planned struct {
	Method      string  `json:"method"`
	N           int     `json:"n"`
	D           int     `json:"d"`
	Flops       float64 `json:"flops"`
	PeakBytes   int64   `json:"peak_bytes"`
	ModelBytes  int64   `json:"model_bytes"`
	FullKernel  bool    `json:"full_kernel"`
	Description string  `json:"description"`
	Seconds     float64 `json:"seconds,omitempty"` // by the clock, about; left out if nothing is known of the method
	Workers     int     `json:"workers"`           // number of goroutines that Seconds assumes

	// Of rows that are not in memory together:
	Passes     int   `json:"passes,omitempty"`      // passes over all rows that the fit makes
	FilePasses int   `json:"file_passes,omitempty"` // how many of the passes read the files
	ReadBytes  int64 `json:"read_bytes,omitempty"`  // bytes that the passes over the files read in all
	DiskBytes  int64 `json:"disk_bytes,omitempty"`  // of the rows as numbers beside the model, which the other passes read
}

// plannedChoice is the output for a search and for methods that are compared.
type plannedChoice struct {
	Fits    int       `json:"fits,omitempty"`           // of a search without a budget, the last one to all rows included
	Budget  float64   `json:"budget_seconds,omitempty"` // CPU time of what comes before the fit to all rows
	Seconds float64   `json:"seconds,omitempty"`        // by the clock, about, at most, all together
	Methods []planned `json:"methods"`                  // one fit to all rows with the default settings and those of --set
}

// printPlan prints what a fit, a search or a comparison will cost. It reads the file without storing its rows.
func (f *fitting) printPlan(ctx context.Context) error {
	begin := time.Now()
	info, err := dataset.Scan(ctx, f.data.path, f.request.Read)
	if err != nil {
		return err
	}
	f.scanSeconds = time.Since(begin).Seconds()
	if f.methodName != "" && f.search.spec == "" {
		p, err := f.planned(info, f.method, f.fitter)
		if err != nil {
			return err
		}
		if f.asJSON {
			return json.NewEncoder(f.out).Encode(p)
		}
		p.print(f.out)
		return nil
	}
	return f.printChoice(info)
}

// planned is the plan of one fit to the rows of a file.
func (f *fitting) planned(info dataset.Info, m catalog.Method, fitter catalog.Fitter) (planned, error) {
	read, run := f.request.Read, f.request.Run
	s := shapeOf(info, read)
	if info.Schema.Mixed() {
		s.D = f.request.Prepare.For(m).Encode.Width(info.Schema, multiclass.Functions(s.Outputs))
	}
	data := 8 * int64(s.N) * int64(s.D)
	if s.NNZ > 0 {
		data = 12 * s.NNZ
	}
	out := planned{Method: m.Name, N: s.N, D: s.D, Workers: run.NumWorkers()}
	beside, err := run.Beside(data)
	var p gram.Plan
	if err == nil {
		p, err = fitter.Plan(info.Task, s, beside)
	}
	if _, is := fitter.(catalog.ByPasses); is && f.request.Stream != nil && f.request.Stream.Whole == nil && (err == nil && beside.Check(p) != nil || tooLarge(err)) {
		return f.plannedPasses(out, s, info.Task)
	}
	if err != nil {
		return planned{}, err
	}
	return out.of(p, info.Task), nil
}

// of returns p with what the plan q says.
func (p planned) of(q gram.Plan, task dataset.Task) planned {
	p.Seconds, _ = rates.Estimate(p.Method, task, q, p.Workers)
	p.Flops, p.PeakBytes, p.ModelBytes, p.FullKernel, p.Description = q.Flops, q.PeakBytes, q.ModelBytes, q.FullKernel, q.Description
	return p
}

// plannedPasses returns the plan of a fit to rows that have no room in memory.
func (f *fitting) plannedPasses(out planned, s gram.Shape, task dataset.Task) (planned, error) {
	j, err := job.NewMixed(*f.request.Stream, f.data.table(f.request.Prepare.Encode))
	if err != nil {
		return planned{}, err
	}
	p, read, err := j.PlanPasses(s, f.request.Run)
	if err != nil {
		return planned{}, err
	}
	out = out.of(p, task)
	out.Passes, out.FilePasses, out.ReadBytes, out.DiskBytes = read.Passes, read.Files, read.Bytes, read.Kept
	if out.Seconds > 0 { // the scan for the plan has read the files once, on one thread
		out.Seconds += float64(read.Files) * f.scanSeconds / float64(min(out.Workers, len(j.Items)))
	}
	return out, nil
}

// shapeOf is the shape of the rows of a file, before its columns are encoded.
func shapeOf(info dataset.Info, read dataset.Options) gram.Shape {
	s := gram.Shape{N: info.N, D: max(info.D, read.Dim), Outputs: 1}
	switch info.Task {
	case dataset.Classes:
		s.Outputs = len(info.Names)
	case dataset.MultiLabel:
		s.Outputs = info.Tags
	}
	if info.Options(read).Storage == dataset.Sparse {
		s.NNZ = info.NNZ
	}
	return s
}

// print writes the plan as text: flops, memory, the size of the model, and the seconds if they are known.
func (p planned) print(out io.Writer) {
	kernel := ""
	if p.FullKernel {
		kernel = ", the full kernel matrix among them"
	}
	fmt.Fprintf(out, "%s on %d rows, %d columns: %s\n", p.Method, p.N, p.D, p.Description)
	beyond := "beyond the data"
	if p.Passes > 0 {
		beyond = fmt.Sprintf("beyond the %s of the program, in about %d passes over the files, which read %s", num.FormatBytes(standing), p.FilePasses, num.FormatBytes(p.ReadBytes))
		if p.DiskBytes > 0 {
			beyond += fmt.Sprintf(", and %d over %s of numbers on disk", p.Passes-p.FilePasses, num.FormatBytes(p.DiskBytes))
		}
	}
	fmt.Fprintf(out, "about %.3g flops; %s of memory %s%s; model of %s\n",
		p.Flops, num.FormatBytes(p.PeakBytes), beyond, kernel, num.FormatBytes(p.ModelBytes))
	if p.Seconds > 0 {
		fmt.Fprintf(out, "%s on this machine (%s), within a factor of four as a rule\n", cost.About(p.Seconds), threads(p.Workers))
	}
}

// threads is a number of goroutines in words.
func threads(n int) string {
	if n == 1 {
		return "1 thread"
	}
	return fmt.Sprintf("%d threads", n)
}

// printChoice prints what a search, or a comparison of methods, will cost.
func (f *fitting) printChoice(info dataset.Info) error {
	methods := []catalog.Method{f.method}
	if f.methodName == "" {
		var err error
		if methods, err = search.PortfolioFor(info.Task, shapeOf(info, f.request.Read)); err != nil {
			return err
		}
	}
	var out plannedChoice
	longest, sum := 0.0, 0.0
	for _, m := range methods {
		fitter := f.fitter
		if fitter == nil {
			fitter = m.New()
		}
		p, err := f.planned(info, m, fitter)
		if err != nil {
			return err
		}
		out.Methods = append(out.Methods, p)
		longest, sum = max(longest, p.Seconds), sum+p.Seconds
	}
	workers := float64(f.request.Run.NumWorkers())
	out.Budget, out.Seconds = f.budget.Seconds(), f.budget.Seconds()/workers+longest
	if f.search.spec != "" {
		trials := f.tuned.Fits(len(methods))
		all := float64(trials)*float64(f.tuned.Folds-1)/float64(f.tuned.Folds)*sum/float64(len(methods)) + longest
		if out.Budget = f.tuned.Budget.Seconds(); out.Budget == 0 {
			out.Fits, out.Seconds = trials+1, all
		} else {
			out.Seconds = min(out.Seconds, all)
		}
	}
	if f.asJSON {
		return json.NewEncoder(f.out).Encode(out)
	}
	return out.print(f.out)
}

// print writes the time and the memory of one fit by each method, and the time of the whole choice.
func (c plannedChoice) print(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "method\tone fit to all rows\tmemory\n")
	for _, p := range c.Methods {
		fmt.Fprintf(t, "%s\t%s\t%s\n", p.Method, cost.About(p.Seconds), num.FormatBytes(p.PeakBytes))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	what := fmt.Sprintf("%d fits", c.Fits)
	if c.Fits == 0 {
		what = fmt.Sprintf("a budget of %g s of CPU time and the fit of the best to all rows", c.Budget)
	}
	_, err := fmt.Fprintf(out, "%s: %s at most on this machine (%s), within a factor of four as a rule\n", what, cost.About(c.Seconds), threads(c.Methods[0].Workers))
	return err
}
