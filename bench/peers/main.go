// Peers compares the speed of gram with that of libraries in other languages, in
// turn in one run. Transforms are also compared with the ceilings of the machine
// at that moment:
//
//	go run . -ffht /path/to/libffht.so
//	go run . -pywt python3
//	go run . -sklearn python3 -threads 2
//	go run . -qrupdate libqrupdate.so.1
//	go run . -lapack liblapack.so.3
//	go run . -openblas libopenblas.so.0
//	go run . -small libopenblas.so.0
//	go run . -xgboost python3 -threads 2
//	go run . -rotator ./librotator.so
//
// FFHT (github.com/FALCONN-LIB/FFHT) does not build a shared object itself; in
// its directory run
//
//	gcc -O3 -march=native -std=c99 -shared -fPIC -o libffht.so fht.c fast_copy.c
//
// Random rotations are compared with FhtKacRotator of RaBitQ-Library
// (github.com/VectorDB-NTU/RaBitQ-Library), a class in a header. Compile
//
//	#include "rabitqlib/utils/rotator.hpp"
//	typedef rabitqlib::rotator_impl::FhtKacRotator R;
//	extern "C" void *rotator(unsigned long d) { return new R(d, d); }
//	extern "C" void rotate(R *r, const float *x, float *y, long reps) { while (reps-- > 0) r->rotate(x, y); }
//
// with g++ -O3 -march=native -std=c++17 -shared -fPIC -I include -o librotator.so.
//
// PyWavelets (Debian package python3-pywt) and scikit-learn (python3-sklearn)
// run in a process of their own and measure their own calls.
//
// Changes of Cholesky factors are compared with dch1up and dch1dn of qrupdate
// (Debian package libqrupdate1; its factors lie in memory like lower factors
// here, by rows) and with gonum's SymRankOne on gonum's BLAS. All eigenpairs of
// a diagonal plus a rank-one matrix are compared with dlaed9 of LAPACK
// (liblapack3).
//
// Factorizations, eigenvalues, singular values and products are compared with
// OpenBLAS (libopenblas0 of Debian) at the same number of threads; the
// environment variable OPENBLAS_CORETYPE chooses its kernels (SkylakeX, Haswell,
// …). -work selects one kind of work.
//
// Products, systems and symmetric eigenproblems of 1 to 32 rows are compared with OpenBLAS, called in a loop in C, and
// with gonum: through gonum's interface, by a plan, as batches and by package small. -work selects one kind of work.
//
// Boosted trees are compared with XGBoost and scikit-learn (packages
// python3-xgboost and python3-sklearn) on six data sets, which are read from
// GRAM_DATA, at the same number of threads. -work selects one data set.
//
// GRAM_LEVEL lowers the level of gram. Each line is for one size: times are the
// least of all rounds, and ratios are the medians of the ratios of the rounds.
//
// With -json each library is a line, an object of bench.Peers with all rows, which
// gram bench --record NAME --peers FILE stores. Build this program with
//
//	GOWORK=off go build -buildvcs=true -o peers .
//
// in a clean checkout then, so that it knows its revision; -build says how the
// library was built.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/bench"
)

type options struct {
	ffht     string
	python   string
	sklearn  string
	qrupdate string
	lapack   string
	openblas string
	small    string
	xgboost  string
	rotator  string
	only     string        // type that is measured; empty: both
	work     string        // comparison with OpenBLAS, or data set for trees, that is run; empty: all
	min, max int           // logarithms of the least and the largest size
	rounds   int           // number of rounds
	slice    time.Duration // time of one measurement
	cpu      bool          // measure the CPU time of this process instead of elapsed time
	json     bool          // write JSON at the end instead of lines
	build    string        // how the library was built
	threads  int
}

func main() {
	var o options
	flag.StringVar(&o.ffht, "ffht", "", "shared object of FFHT")
	flag.StringVar(&o.python, "pywt", "", "Python interpreter that has PyWavelets")
	flag.StringVar(&o.sklearn, "sklearn", "", "Python interpreter that has scikit-learn")
	flag.StringVar(&o.qrupdate, "qrupdate", "", "shared object of qrupdate")
	flag.StringVar(&o.lapack, "lapack", "", "shared object of LAPACK")
	flag.StringVar(&o.openblas, "openblas", "", "shared object of OpenBLAS")
	flag.StringVar(&o.small, "small", "", "shared object of OpenBLAS, for small matrices")
	flag.StringVar(&o.work, "work", "", "with -openblas, -small or -xgboost: only the work or the data set that has this name")
	flag.StringVar(&o.xgboost, "xgboost", "", "Python interpreter that has XGBoost and scikit-learn")
	flag.StringVar(&o.rotator, "rotator", "", "shared object with RaBitQ-Library's rotator")
	flag.StringVar(&o.only, "type", "", "float32 or float64; empty: both")
	flag.IntVar(&o.min, "min", 4, "smallest size, as a power of two")
	flag.IntVar(&o.max, "max", 20, "largest size, as a power of two")
	flag.IntVar(&o.rounds, "rounds", 31, "interleaved repetitions of each measurement")
	flag.IntVar(&o.threads, "threads", 1, "goroutines that gram may use; the peers have one thread, OpenBLAS, scikit-learn and XGBoost as many")
	flag.BoolVar(&o.cpu, "cpu", false, "measure the CPU time of this process, for machines that have other work to do")
	flag.DurationVar(&o.slice, "slice", time.Millisecond, "shortest time of one measurement")
	flag.BoolVar(&o.json, "json", false, "write one JSON object per library")
	flag.StringVar(&o.build, "build", "", "how the library was built: compiler, flags, revision; it is stored")
	flag.Parse()
	if err := cpu.EnvError(); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(2)
	}
	runtime.GOMAXPROCS(o.threads)
	compared := false
	for _, c := range []struct {
		with    string
		compare func(options) ([]*bench.Peers, error)
	}{{o.ffht, compareFFHT}, {o.python, comparePyWavelets}, {o.sklearn, compareScikitLearn}, {o.qrupdate, compareUpdates}, {o.lapack, compareRankOne}, {o.openblas, compareFactors}, {o.small, compareSmall}, {o.xgboost, compareTrees}, {o.rotator, compareRotators}} {
		if c.with == "" {
			continue
		}
		compared = true
		stamp := bench.Watch()
		all, err := c.compare(o)
		for _, p := range all {
			if p.Stamp = stamp(); o.json && err == nil {
				err = json.NewEncoder(os.Stdout).Encode(p)
			}
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "peers:", err)
			os.Exit(1)
		}
	}
	if !compared {
		fmt.Fprintln(os.Stderr, "peers: nothing to compare with; see -help")
		os.Exit(2)
	}
}

// peer returns an empty comparison with a library, and prints the head of its table unless the output is JSON.
func (o options) peer(name, version, build string) *bench.Peers {
	p := &bench.Peers{Peer: name, Version: version, Build: build, Threads: o.threads, Rounds: o.rounds}
	if !o.json {
		fmt.Printf("# %s %s, %s; %s, level %s, %d threads, %d rounds\n", name, version, build, cpu.Describe().Name, cpu.Current(), o.threads, o.rounds)
		line(append([]string{"library"}, bench.PeerHead()...))
	}
	return p
}

// add adds a row, of nanoseconds and the median of their ratios, and prints it.
func (o options) add(p *bench.Peers, work, typ, shape string, ns, peer, ratio float64, note string) {
	digits := func(v float64) float64 {
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
		return v
	}
	r := bench.PeerRow{Work: work, Type: typ, Shape: shape, NS: digits(ns), PeerNS: digits(peer), Ratio: digits(ratio), Note: note}
	p.Rows = append(p.Rows, r)
	if !o.json {
		line(append([]string{p.Peer}, r.Cells()...))
	}
}

// line prints the cells of a row in columns of 18 characters.
func line(cells []string) {
	for _, c := range cells[:len(cells)-1] {
		fmt.Printf("%-18s ", c)
	}
	fmt.Println(cells[len(cells)-1])
}

var begin = time.Now()

// clock returns the time since the program began, or the CPU time of this process with -cpu.
func (o options) clock() time.Duration {
	if !o.cpu {
		return time.Since(begin)
	}
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A contestant is one side of a race: it does its work reps times.
type contestant func(reps int)

// race measures the contestants in turn. It returns, for each, the nanoseconds
// of one repetition in the fastest round, and the median over the rounds of the
// ratio to the first contestant.
func race(o options, all ...contestant) (least, ratio []float64) {
	reps := make([]int, len(all))
	for i, c := range all {
		reps[i] = 1
		for {
			start := o.clock()
			c(reps[i])
			if t := o.clock() - start; t >= o.slice {
				break
			}
			reps[i] *= 2
		}
	}
	ratios := make([][]float64, len(all))
	least = make([]float64, len(all))
	for round := range o.rounds {
		var first float64
		for i, c := range all {
			start := o.clock()
			c(reps[i])
			t := float64((o.clock() - start).Nanoseconds()) / float64(reps[i])
			if i == 0 {
				first = t
			}
			if round == 0 || t < least[i] {
				least[i] = t
			}
			ratios[i] = append(ratios[i], t/first)
		}
	}
	for _, r := range ratios {
		slices.Sort(r)
		ratio = append(ratio, r[len(r)/2])
	}
	return least, ratio
}
