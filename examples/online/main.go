// Command online predicts the next number of a stream while it learns from it: boosted trees are fitted again and again to
// a window of the last rows in one goroutine, and others predict single rows with the newest trees, without a lock. Two more
// models, of the quantiles .05 and .95, say within which band a number is expected.
//
//	go run ./examples/online -window 5000 -seconds 5
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"gonum.org/v1/gonum/mat"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// columns is the number of columns of a row: numbers of the stream that came before.
const columns = 8

// models are those of the mean and of the bounds of the band.
var models = []gbdt.Config{
	{Rounds: 100}, {Rounds: 40, MinRows: 100, Loss: gbdt.Quantile, Level: .05}, {Rounds: 40, MinRows: 100, Loss: gbdt.Quantile, Level: .95},
}

// A predictor learns from a window of rows and predicts others at the same time. fit is for one goroutine, predict for any.
type predictor struct {
	window int
	models []gbdt.Config // at most three
	x      []float64     // the last rows, oldest first
	y      []float64
	newest atomic.Pointer[[]gram.Program[float64]] // of the models
}

// observe adds a row and what came of it to the window, which loses its oldest row if it is full.
func (p *predictor) observe(row []float64, y float64) {
	if len(p.y) == p.window {
		p.x, p.y = p.x[columns:], p.y[1:]
	}
	p.x, p.y = append(p.x, row...), append(p.y, y)
}

// fit fits the models to the window and puts them in place of those that predict takes.
func (p *predictor) fit(ctx context.Context) error {
	x := mat.NewDense(len(p.y), columns, p.x)
	fitted := make([]gram.Program[float64], len(p.models))
	for k, c := range p.models {
		m, err := c.FitValues(ctx, x, p.y, nil)
		if err != nil {
			return err
		}
		if fitted[k], err = m.Program64(); err != nil {
			return err
		}
	}
	p.newest.Store(&fitted)
	return nil
}

// predict returns the prediction for a row and the bounds of its band; there must have been a fit.
func (p *predictor) predict(row []float64) (value, low, high float64) {
	var out [3]float64
	for k, m := range *p.newest.Load() {
		m.Row(out[k:k+1], row)
	}
	return out[0], out[1], out[2]
}

// stream is a signal with noise whose rule changes slowly.
type stream struct {
	random *rand.Rand
	past   [columns]float64
	t      int
}

// next returns a row, the last numbers, and the number that follows.
func (s *stream) next() (row []float64, y float64) {
	s.t++
	drift := 1 + .5*math.Sin(float64(s.t)/20000)
	row = append(row, s.past[:]...)
	y = drift*math.Sin(3*s.past[0])*math.Cos(s.past[1]) + .5*s.past[2] + .1*s.random.NormFloat64()
	copy(s.past[1:], s.past[:columns-1])
	s.past[0] = y
	return row, y
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("online", flag.ExitOnError)
	window := flags.Int("window", 5000, "rows that a fit has")
	seconds := flags.Float64("seconds", 3, "time to run")
	rate := flags.Int("rate", 5000, "rows that arrive in a second")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *window < 100 {
		return fmt.Errorf("-window is %d, want at least 100", *window)
	}
	s := &stream{random: rand.New(rand.NewPCG(1, 1))}
	p := &predictor{window: *window, models: models}
	for range *window {
		p.observe(s.next())
	}
	begin := time.Now()
	if err := p.fit(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d rows of %d columns: three models in %v\n", *window, columns, time.Since(begin).Round(time.Millisecond))

	// One goroutine fits to the rows that arrive; this one predicts each number before it is known.
	type seen struct {
		row []float64
		y   float64
	}
	arrived := make(chan seen, *window)
	failed, fits := make(chan error, 1), 0
	go func() {
		for o := range arrived {
			p.observe(o.row, o.y)
			if len(arrived) > 0 {
				continue
			}
			if err := p.fit(ctx); err != nil {
				failed <- err
				return
			}
			fits++
		}
		failed <- nil
	}()
	var n, inside int
	var squares float64
	for begin := time.Now(); time.Since(begin).Seconds() < *seconds; n++ {
		time.Sleep(time.Duration(float64(n)/float64(*rate)*1e9) - time.Since(begin))
		row, y := s.next()
		value, low, high := p.predict(row)
		squares += (value - y) * (value - y)
		if low <= y && y <= high {
			inside++
		}
		select {
		case arrived <- seen{row, y}:
		default: // the fits are behind: they learn from the rows that find a place
		}
	}
	close(arrived)
	if err := <-failed; err != nil {
		return err
	}
	fmt.Fprintf(out, "%d predictions, %d fits\n", n, fits)
	fmt.Fprintf(out, "root mean square error %.3f, noise 0.100; %.0f %% in the band of 90 %%\n", math.Sqrt(squares/float64(n)), 100*float64(inside)/float64(n))
	return nil
}
