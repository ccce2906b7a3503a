package fwht

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gramworks/gram/asm/hadamard"
	"github.com/gramworks/gram/num"
)

const (
	// parallelLength is the length from which several goroutines transform one
	// vector: 4 MiB of float64.
	parallelLength = 1 << 19
	// blockLength is the length of the blocks of one vector that a goroutine
	// transforms before the stages that join the blocks: 256 KiB of float64,
	// which fit L2.
	blockLength = 1 << 15
	// grainLength is the least number of elements that is handed to a
	// goroutine.
	grainLength = 1 << 15
	// cacheLength is the number of elements that are transformed before they
	// are scaled or reordered. It is small enough that they are still in L1
	// then.
	cacheLength = 1 << 11
)

// transformRows transforms rows of length m·2^k in the caller's goroutine.
func transformRows[F num.Float](x num.Rows[F], m int) {
	if m == 1 && x.N == 1 {
		hadamard.Transform(x.Row(0))
		return
	}
	if m == 1 {
		hadamard.Rows(x.Data, x.N, x.D, x.Stride)
		return
	}
	for i := range x.N {
		row := x.Row(i)
		hadamard.Rows(row, m, x.D/m, x.D/m)
		hadamard.Base(row, m, x.D/m, x.D/m)
	}
}

// finish multiplies transformed rows by scale or, if sequency is set, puts their elements in sequency order instead.
func finish[F num.Float](x num.Rows[F], scale F, sequency bool) {
	if sequency {
		reorder(x)
		return
	}
	if x.D == x.Stride {
		hadamard.Scale(x.Data[:x.N*x.D], scale)
		return
	}
	for i := range x.N {
		hadamard.Scale(x.Row(i), scale)
	}
}

// reorder brings rows from natural to sequency order.
func reorder[F num.Float](x num.Rows[F]) {
	s := get[F](x.D)
	k := bits.Len(uint(x.D)) - 1
	for i := range x.N {
		row := x.Row(i)
		tmp := (*s)[:len(row)]
		copy(tmp, row)
		for q := range row {
			row[q] = tmp[walshRow(k, q)]
		}
	}
	put(s)
}

// A job is a parallel loop over blocks. Jobs are pooled with the function value
// that their goroutines start with, so that a loop allocates nothing.
type job[F num.Float] struct {
	kind     kind
	x        num.Rows[F]
	m        int
	scale    F
	sequency bool

	n, grain int
	next     atomic.Int64
	wait     sync.WaitGroup
	start    func()
}

type kind int

const (
	batches kind = iota // rows lo … hi−1 of x
	across              // columns lo … hi−1 of the stages across the rows of x
)

func (j *job[F]) body(lo, hi int) {
	switch j.kind {
	case batches:
		if j.scale == 1 && !j.sequency {
			transformRows(j.x.Slice(lo, hi), j.m)
			return
		}
		step := max(1, cacheLength/j.x.D)
		for ; lo < hi; lo += step {
			part := j.x.Slice(lo, min(lo+step, hi))
			transformRows(part, j.m)
			finish(part, j.scale, j.sequency)
		}
	case across:
		hadamard.Columns(j.x.Data, j.x.N, j.x.D, lo, hi)
	}
}

func (j *job[F]) work() {
	for {
		lo := int(j.next.Add(1)-1) * j.grain
		if lo >= j.n {
			return
		}
		j.body(lo, min(lo+j.grain, j.n))
	}
}

// run does the loop over [0, n) in blocks of grain, on up to workers goroutines
// including the caller's. The result does not depend on the size of the blocks.
func (j *job[F]) run(n, grain, workers int) {
	j.n, j.grain = n, grain
	j.next.Store(0)
	extra := min(workers, (n-1)/grain+1) - 1
	j.wait.Add(extra)
	for range extra {
		go j.start()
	}
	runtime.Gosched() // this thread takes the last one, which others would wait to take
	j.work()
	j.wait.Wait()
}

// batch transforms rows, then scales or reorders them.
func batch[F num.Float](x num.Rows[F], m, workers int, scale F, sequency bool) {
	grain := max(1, grainLength/x.D)
	if scale == 1 && !sequency && (workers == 1 || x.N <= grain) {
		transformRows(x, m)
		return
	}
	j := getJob[F]()
	j.kind, j.x, j.m, j.scale, j.sequency = batches, x, m, scale, sequency
	j.run(x.N, grain, workers)
	putJob(j)
}

// long transforms one vector of length m·2^k on up to workers goroutines.
func long[F num.Float](x []F, m, workers int) {
	h := len(x) / m
	if len(x) < parallelLength || workers == 1 {
		transformRows(num.Rows[F]{Data: x, N: 1, D: len(x), Stride: len(x)}, m)
		return
	}
	j := getJob[F]()
	const d = blockLength // h is at least as long
	j.kind, j.x, j.m, j.scale, j.sequency = batches, num.Rows[F]{Data: x, N: len(x) / d, D: d, Stride: d}, 1, 1, false
	j.run(j.x.N, 1, workers)
	if d < h {
		j.kind = across
		for i := 0; i < len(x); i += h {
			j.x.Data, j.x.N = x[i:i+h], h/d
			j.run(d, max(128, d/(8*workers)&^127), workers)
		}
	}
	putJob(j)
	if m > 1 {
		hadamard.Base(x, m, h, h)
	}
}

var (
	jobs32, jobs64       = sync.Pool{New: newJob[float32]}, sync.Pool{New: newJob[float64]}
	scratch32, scratch64 sync.Pool
)

func newJob[F num.Float]() any {
	j := &job[F]{}
	j.start = func() {
		j.work()
		j.wait.Done()
	}
	return j
}

// pools returns the pools of jobs and of scratch memory that transforms in type F share.
func pools[F num.Float]() (jobs, scratch *sync.Pool) {
	var f F
	if unsafe.Sizeof(f) == 4 {
		return &jobs32, &scratch32
	}
	return &jobs64, &scratch64
}

func getJob[F num.Float]() *job[F] {
	jobs, _ := pools[F]()
	return jobs.Get().(*job[F])
}

func putJob[F num.Float](j *job[F]) {
	j.x = num.Rows[F]{} // the pool must not keep the caller's memory alive
	jobs, _ := pools[F]()
	jobs.Put(j)
}

// get returns scratch memory of at least n elements.
func get[F num.Float](n int) *[]F {
	_, scratch := pools[F]()
	s, _ := scratch.Get().(*[]F)
	if s == nil {
		s = new([]F)
	}
	if len(*s) < n {
		*s = make([]F, n)
	}
	return s
}

func put[F num.Float](s *[]F) {
	_, scratch := pools[F]()
	scratch.Put(s)
}
