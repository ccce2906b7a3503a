package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/gramworks/gram/asm/cpu"
)

// A mutant is one fault in one file. Old and New are the lines that it changes,
// with single spaces. Func is the function or macro around them, or -. Nth
// numbers the mutants of a file that are otherwise equal.
type mutant struct {
	Layer   string `json:"layer"`
	Package string `json:"package"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Func    string `json:"func"`
	Kind    string `json:"kind"`
	Old     string `json:"old"`
	New     string `json:"new"`
	Nth     int    `json:"nth,omitempty"`

	lo, hi int // text replaces these bytes
	text   string
}

// A key identifies a mutant in the results of an earlier run, also after the
// lines around it have moved.
type key struct {
	file, fn, kind, old, new string
	nth                      int
}

func (m mutant) key() key { return key{m.File, m.Func, m.Kind, m.Old, m.New, m.Nth} }

// newMutant returns the mutant that replaces text[lo:hi] by replacement.
func newMutant(path string, text []byte, fn, kind string, lo, hi int, replacement string) mutant {
	from := bytes.LastIndexByte(text[:lo], '\n') + 1
	to := len(text)
	if i := bytes.IndexByte(text[hi:], '\n'); i >= 0 {
		to = hi + i
	}
	line := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	return mutant{
		File: path, Line: 1 + bytes.Count(text[:lo], []byte("\n")), Func: fn, Kind: kind,
		Old: line(string(text[from:to])),
		New: line(string(text[from:lo]) + replacement + string(text[hi:to])),
		lo:  lo, hi: hi, text: replacement,
	}
}

// number sets Nth, and drops mutants that change only spaces.
func number(all []mutant) []mutant {
	seen := map[key]int{}
	out := all[:0]
	for _, m := range all {
		if m.Old == m.New {
			continue
		}
		k := m.key()
		m.Nth = seen[k]
		seen[k]++
		out = append(out, m)
	}
	return out
}

// apply returns the text of a file with the fault in it.
func (m mutant) apply(text []byte) []byte {
	return slices.Concat(text[:m.lo], []byte(m.text), text[m.hi:])
}

// layers maps directories of the module to the layers whose rates are reported,
// and gives each layer its share of a sample. The longest matching directory
// decides. Code without a layer is not part of the product: generators, measuring
// programs. Packages that import testing are helpers of tests, and have no layer
// either.
var layers = []struct {
	folder, name string
	share        float64
}{
	{".", "root", 3}, {"num", "root", 3}, {"settings", "root", 3},
	{"internal", "internal", 6},
	{"internal/gen", "", 0}, {"internal/neon", "", 0}, {"internal/race", "", 0},
	{"asm", "wrappers", 6},
	{"asm/gen", "", 0}, {"asm/hadamard/asmgen", "", 0}, {"asm/hadamard/paley", "", 0}, {"asm/peak", "", 0},
	{"fwht", "transforms", 6}, {"haar", "transforms", 6}, {"structured", "transforms", 6}, {"vec", "transforms", 6}, {"cholupdate", "transforms", 6}, {"sketch", "transforms", 6}, {"eig", "transforms", 6},
	{"app", "cmd", 6},
	{"app/capi", "cmd", 2}, {"app/onnx", "predict", 3}, {"app/page", "internal", 6}, {"app/papers", "", 0}, {"app/figures", "", 0}, {"app/examples", "", 0}, {"app/explain", "predict", 4},
	{"blas", "blas", 5},
	{"blas/gen", "", 0}, {"blas/openblas", "", 0},
	{"kernel", "kernel", 6},
	{"algos", "algos", 20},
	{"predict", "predict", 4}, {"app/pipeline", "predict", 4},
	{"dataset", "data", 6}, {"app/encode", "data", 6}, {"sparse", "data", 6}, {"metric", "data", 6}, {"modelfile", "data", 6}, {"store", "data", 6},
	{"app/catalog", "catalog", 5}, {"app/training", "catalog", 5}, {"app/search", "catalog", 5}, {"app/job", "catalog", 5},
	{"app/serve", "serve", 4},
	{"api", "", 0}, {"beam", "", 0}, {"bucket", "", 0}, {"bench", "", 0}, {"ci", "", 0}, {"docs", "", 0}, {"examples", "", 0}, {"reference", "", 0},
}

// assembly is the layer of all .s and .h files, in any directory; assemblyShare
// is its share.
const assembly, assemblyShare = "assembly", 12

// layerOf returns the layer of a directory of the module, and its share.
func layerOf(folder string) (string, float64) {
	best, name, share := 0, "", 0.0
	for _, l := range layers {
		if n := len(l.folder); n > best && (folder == l.folder || strings.HasPrefix(folder, l.folder+"/")) {
			best, name, share = n, l.name, l.share
		}
	}
	return name, share
}

// A unit is a package with its candidates of one layer.
type unit struct {
	layer, dir string
	share      float64
	mutants    []mutant
}

// load finds all candidates of the packages that match the patterns.
func load(ctx context.Context, root string, patterns []string) ([]unit, error) {
	units, patterns, err := loadPython(root, patterns)
	if err != nil || len(patterns) == 0 { // without patterns the go command takes the folder
		return units, err
	}
	c := exec.CommandContext(ctx, "go", append([]string{"list", "-json=Dir,GoFiles,CgoFiles,SFiles,HFiles,Imports"}, patterns...)...)
	c.Dir, c.Stderr = root, os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p struct {
			Dir                                        string
			GoFiles, CgoFiles, SFiles, HFiles, Imports []string
		}
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		dir, err := filepath.Rel(root, p.Dir)
		if err != nil {
			return nil, err
		}
		dir = filepath.ToSlash(dir)
		layer, share := layerOf(dir)
		if layer == "" || slices.Contains(p.Imports, "testing") {
			continue
		}
		code, asm := unit{layer: layer, share: share, dir: dir}, unit{layer: assembly, share: assemblyShare, dir: dir}
		for _, f := range slices.Concat(p.GoFiles, p.CgoFiles, p.SFiles, p.HFiles) {
			path := filepath.Join(dir, f)
			text, err := os.ReadFile(filepath.Join(root, path))
			if err != nil {
				return nil, err
			}
			if strings.HasSuffix(f, ".go") {
				ms, err := goMutants(path, text)
				if err != nil {
					return nil, err
				}
				code.mutants = append(code.mutants, slices.DeleteFunc(ms, elsewhere)...)
			} else if runs(f) {
				asm.mutants = append(asm.mutants, asmMutants(path, text)...)
			}
		}
		for _, u := range []unit{code, asm} {
			for i := range u.mutants {
				u.mutants[i].Layer, u.mutants[i].Package = u.layer, dir
			}
			if len(u.mutants) > 0 {
				units = append(units, u)
			}
		}
	}
	return units, nil
}

// runs reports whether this machine can run an assembly file. A fault in code
// that no test can reach says nothing about the tests.
func runs(file string) bool {
	if runtime.GOARCH != "amd64" || !strings.Contains(file, "_amd64.") {
		return false
	}
	return !strings.Contains(file, "_avx512_") || cpu.Detected() >= cpu.AVX512
}

// elsewhere reports whether a line of Go code is for a level that this machine lacks.
func elsewhere(m mutant) bool {
	return cpu.Detected() < cpu.AVX512 && strings.Contains(m.Old, "AVX512")
}

// weightOf returns the weight of a kind of fault.
func weightOf(kind string) float64 {
	for _, k := range goKinds {
		if k.name == kind {
			return k.weight // Python code has kinds of the same names
		}
	}
	return max(asmKinds[kind], pythonKinds[kind])
}

// A quota holds the mutants of a layer in the order of the draw, and the number
// of them that are to be counted.
type quota struct {
	layer string
	share float64
	order []mutant
	want  int
}

// draw orders the mutants of every layer at random: first a package, with a
// weight of the square root of its number of candidates, then a kind by its
// weight, then a place. The count is divided among the layers by their shares.
// The order of a layer depends only on the seed and on the candidates of that
// layer.
func draw(units []unit, seed uint64, count int) []*quota {
	byLayer := map[string]*quota{}
	for _, layer := range slices.Sorted(maps.Keys(groups(units))) {
		h := fnv.New64a()
		h.Write([]byte(layer))
		r := rand.New(rand.NewPCG(seed, h.Sum64()))
		var packages []map[string][]mutant // by kind
		var weights []float64
		q := &quota{layer: layer}
		for _, u := range groups(units)[layer] {
			kinds := map[string][]mutant{}
			for _, m := range u.mutants {
				kinds[m.Kind] = append(kinds[m.Kind], m)
			}
			packages = append(packages, kinds)
			weights = append(weights, math.Sqrt(float64(len(u.mutants))))
			q.share = u.share
		}
		for {
			p := pick(r, weights)
			if p < 0 {
				break
			}
			names := slices.Sorted(maps.Keys(packages[p]))
			if len(names) == 0 {
				weights[p] = 0
				continue
			}
			var kw []float64
			for _, n := range names {
				kw = append(kw, weightOf(n))
			}
			n := names[pick(r, kw)]
			l := packages[p][n]
			i := r.IntN(len(l))
			q.order = append(q.order, l[i])
			l[i] = l[len(l)-1]
			if packages[p][n] = l[:len(l)-1]; len(l) == 1 {
				delete(packages[p], n)
			}
		}
		byLayer[layer] = q
	}
	out := slices.SortedFunc(maps.Values(byLayer), func(a, b *quota) int { return cmp.Compare(a.layer, b.layer) })
	divide(out, count)
	return out
}

// groups returns the units of each layer, in their order.
func groups(units []unit) map[string][]unit {
	out := map[string][]unit{}
	for _, u := range units {
		out[u.layer] = append(out[u.layer], u)
	}
	return out
}

// pick returns an index with a probability proportional to its weight, or −1 if
// all weights are 0.
func pick(r *rand.Rand, weights []float64) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	x, last := r.Float64()*sum, -1
	for i, w := range weights {
		if w == 0 {
			continue
		}
		if last = i; x < w {
			break
		}
		x -= w
	}
	return last
}

// divide gives mutants one after the other to the layer that is furthest below
// its share, until count are given.
func divide(qs []*quota, count int) {
	for range count {
		var next *quota
		for _, q := range qs {
			if q.want < len(q.order) && (next == nil || float64(q.want+1)/q.share < float64(next.want+1)/next.share) {
				next = q
			}
		}
		if next == nil {
			return
		}
		next.want++
	}
}
