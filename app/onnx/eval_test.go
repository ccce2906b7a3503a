package onnx

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// This file reads models in the format of ONNX and evaluates them, operator by operator, as
// the specification of the operators says. It shares no code with the writer.

// array is a tensor: real numbers, integers or strings.
type array struct {
	kind int64
	dims []int
	real []float64
	ints []int64
	text []string
}

func size(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// field is a field of a message: a number or bytes.
type field struct {
	number int
	value  int64
	bytes  []byte
}

func fields(t testing.TB, b []byte) (all []field) {
	t.Helper()
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		b = b[n:]
		f := field{number: int(number)}
		switch kind {
		case protowire.VarintType:
			v, n := protowire.ConsumeVarint(b)
			f.value, b = int64(v), b[n:]
		case protowire.BytesType:
			v, n := protowire.ConsumeBytes(b)
			if n < 0 {
				t.Fatal(protowire.ParseError(n))
			}
			f.bytes, b = v, b[n:]
		default:
			t.Fatalf("field %d has the wire type %d", number, kind)
		}
		all = append(all, f)
	}
	return all
}

func integers(b []byte) (all []int64) {
	for len(b) > 0 {
		v, n := protowire.ConsumeVarint(b)
		all, b = append(all, int64(v)), b[n:]
	}
	return all
}

func readTensor(t testing.TB, b []byte) (name string, a array) {
	var data []byte
	for _, f := range fields(t, b) {
		switch f.number {
		case 1:
			for _, d := range integers(f.bytes) {
				a.dims = append(a.dims, int(d))
			}
		case 2:
			a.kind = f.value
		case 6:
			a.text = append(a.text, string(f.bytes))
		case 8:
			name = string(f.bytes)
		case 9:
			data = f.bytes
		default:
			t.Fatalf("a tensor has field %d", f.number)
		}
	}
	for len(data) > 0 {
		switch a.kind {
		case 1:
			a.real, data = append(a.real, float64(math.Float32frombits(binary.LittleEndian.Uint32(data)))), data[4:]
		case 7:
			a.ints, data = append(a.ints, int64(binary.LittleEndian.Uint64(data))), data[8:]
		case 11:
			a.real, data = append(a.real, math.Float64frombits(binary.LittleEndian.Uint64(data))), data[8:]
		default:
			t.Fatalf("a tensor %s of type %d", name, a.kind)
		}
	}
	if n := len(a.real) + len(a.ints) + len(a.text); n != size(a.dims) {
		t.Fatalf("tensor %s has %d elements and the shape %d", name, n, a.dims)
	}
	return name, a
}

// attributes of a node.
type attributes struct {
	ints    map[string][]int64
	reals   map[string][]float64
	strings map[string][]string
	tensors map[string]array
}

func (a attributes) integer(name string, otherwise int64) int64 {
	if v := a.ints[name]; v != nil {
		return v[0]
	}
	return otherwise
}

// evaluate runs the model on an input n×d and returns its outputs, whose types and shapes
// have been compared with the declared ones.
func evaluate(t testing.TB, model []byte, x array) map[string]array {
	t.Helper()
	var graph []byte
	sets := map[string]int64{}
	for _, f := range fields(t, model) {
		switch f.number {
		case 7:
			graph = f.bytes
		case 8:
			domain, v := "", int64(0)
			for _, g := range fields(t, f.bytes) {
				if g.number == 1 {
					domain = string(g.bytes)
				} else {
					v = g.value
				}
			}
			sets[domain] = v
		}
	}
	if sets[""] != opset {
		t.Fatalf("operator sets %v", sets)
	}
	values := map[string]array{}
	var outputs [][]byte
	var nodes []field
	for _, f := range fields(t, graph) {
		switch f.number {
		case 1:
			nodes = append(nodes, f)
		case 5:
			name, a := readTensor(t, f.bytes)
			values[name] = a
		case 11:
			name, kind, dims := declared(t, f.bytes)
			if name != "x" || kind != x.kind || !slices.Equal(dims, []int{-1, x.dims[1]}) {
				t.Fatalf("input %s of type %d with the shape %d", name, kind, dims)
			}
			values[name] = x
		case 12:
			outputs = append(outputs, f.bytes)
		}
	}
	for _, f := range nodes {
		var in []array
		var out, kind, domain string
		a := attributes{map[string][]int64{}, map[string][]float64{}, map[string][]string{}, map[string]array{}}
		for _, p := range fields(t, f.bytes) {
			switch p.number {
			case 1:
				v, ok := values[string(p.bytes)]
				if !ok {
					t.Fatalf("%s comes before it is computed", p.bytes)
				}
				in = append(in, v)
			case 2:
				out = string(p.bytes)
			case 4:
				kind = string(p.bytes)
			case 5:
				a.read(t, p.bytes)
			case 7:
				domain = string(p.bytes)
			}
		}
		if domain != "" && sets[domain] == 0 {
			t.Fatalf("domain %s is not declared", domain)
		}
		if _, twice := values[out]; twice {
			t.Fatalf("%s is computed twice", out)
		}
		r := apply(t, kind, in, a)
		if r.kind == 1 {
			for i, v := range r.real {
				r.real[i] = float64(float32(v))
			}
		}
		values[out] = r
	}
	result := map[string]array{}
	for _, b := range outputs {
		name, kind, dims := declared(t, b)
		r, ok := values[name]
		dims[0] = x.dims[0]
		if !ok || r.kind != kind || !slices.Equal(dims, r.dims) {
			t.Fatalf("output %s has type %d and shape %d, declared are %d and %d", name, r.kind, r.dims, kind, dims)
		}
		result[name] = r
	}
	return result
}

// declared reads a ValueInfoProto; a named size is −1.
func declared(t testing.TB, b []byte) (name string, kind int64, dims []int) {
	for _, f := range fields(t, b) {
		if f.number == 1 {
			name = string(f.bytes)
			continue
		}
		for _, g := range fields(t, fields(t, f.bytes)[0].bytes) {
			if g.number == 1 {
				kind = g.value
				continue
			}
			for _, d := range fields(t, g.bytes) {
				if one := fields(t, d.bytes)[0]; one.number == 1 {
					dims = append(dims, int(one.value))
				} else {
					dims = append(dims, -1)
				}
			}
		}
	}
	return name, kind, dims
}

func (a attributes) read(t testing.TB, b []byte) {
	name := ""
	for _, f := range fields(t, b) {
		switch f.number {
		case 1:
			name = string(f.bytes)
		case 3:
			a.ints[name] = []int64{f.value}
		case 5:
			_, a.tensors[name] = readTensor(t, f.bytes)
		case 7:
			for b := f.bytes; len(b) > 0; b = b[4:] {
				a.reals[name] = append(a.reals[name], float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
			}
		case 8:
			a.ints[name] = integers(f.bytes)
		case 9:
			a.strings[name] = append(a.strings[name], string(f.bytes))
		}
	}
}

// broadcast applies f to the elements of two arrays of shapes that broadcast.
func broadcast(t testing.TB, a, b array, f func(x, y float64) float64) array {
	rank := max(len(a.dims), len(b.dims))
	pad := func(d []int) []int {
		return append(slices.Repeat([]int{1}, rank-len(d)), d...)
	}
	ad, bd := pad(a.dims), pad(b.dims)
	out := array{kind: a.kind, dims: make([]int, rank)}
	for i := range rank {
		if ad[i] != bd[i] && ad[i] != 1 && bd[i] != 1 {
			t.Fatalf("shapes %d and %d do not broadcast", a.dims, b.dims)
		}
		out.dims[i] = max(ad[i], bd[i])
	}
	if a.kind != b.kind {
		t.Fatalf("types %d and %d", a.kind, b.kind)
	}
	at := func(dims []int, index []int) int {
		k := 0
		for i, d := range dims {
			k *= d
			if d > 1 {
				k += index[i]
			}
		}
		return k
	}
	index := make([]int, rank)
	for range size(out.dims) {
		i, j := at(ad, index), at(bd, index)
		if a.kind == 7 {
			out.ints = append(out.ints, int64(f(float64(a.ints[i]), float64(b.ints[j]))))
		} else {
			out.real = append(out.real, f(a.real[i], b.real[j]))
		}
		for k := rank - 1; k >= 0; k-- {
			if index[k]++; index[k] < out.dims[k] {
				break
			}
			index[k] = 0
		}
	}
	return out
}

// widen returns the numbers of an array of either type.
func widen(a array) []float64 {
	out := slices.Clone(a.real)
	for _, v := range a.ints {
		out = append(out, float64(v))
	}
	return out
}

func each(a array, f func(v float64) float64) array {
	out := array{kind: a.kind, dims: a.dims}
	for _, v := range a.real {
		out.real = append(out.real, f(v))
	}
	return out
}

// reduce folds the given axis, which must be the last one.
func reduce(t testing.TB, a array, axes []int64, keep bool, f func(row []float64) float64) array {
	last := len(a.dims) - 1
	if len(axes) != 1 || int(axes[0]) != last {
		t.Fatalf("axes %d of the shape %d", axes, a.dims)
	}
	out := array{kind: a.kind, dims: slices.Clone(a.dims[:last])}
	if keep {
		out.dims = append(out.dims, 1)
	}
	for d, lo := a.dims[last], 0; lo < len(a.real); lo += d {
		out.real = append(out.real, f(a.real[lo:lo+d]))
	}
	return out
}

func sum(row []float64) (s float64) {
	for _, v := range row {
		s += v
	}
	return s
}

// apply computes one operator.
func apply(t testing.TB, kind string, in []array, a attributes) array {
	switch kind {
	case "Identity":
		return in[0]
	case "Add":
		return broadcast(t, in[0], in[1], func(x, y float64) float64 { return x + y })
	case "Sub":
		return broadcast(t, in[0], in[1], func(x, y float64) float64 { return x - y })
	case "Mul":
		return broadcast(t, in[0], in[1], func(x, y float64) float64 { return x * y })
	case "Div":
		return broadcast(t, in[0], in[1], func(x, y float64) float64 { return x / y })
	case "Pow":
		return broadcast(t, in[0], in[1], math.Pow)
	case "Greater":
		out := broadcast(t, in[0], in[1], func(x, y float64) float64 {
			if x > y {
				return 1
			}
			return 0
		})
		out.kind = 9
		return out
	case "Exp":
		return each(in[0], math.Exp)
	case "Sqrt":
		return each(in[0], math.Sqrt)
	case "Tanh":
		return each(in[0], math.Tanh)
	case "Abs":
		return each(in[0], math.Abs)
	case "Cos":
		return each(in[0], math.Cos)
	case "Sin":
		return each(in[0], math.Sin)
	case "Neg":
		return each(in[0], func(v float64) float64 { return -v })
	case "Relu":
		return each(in[0], func(v float64) float64 { return max(v, 0) })
	case "Sigmoid":
		return each(in[0], func(v float64) float64 { return 1 / (1 + math.Exp(-v)) })
	case "Cast":
		out := array{kind: a.integer("to", 0), dims: in[0].dims}
		for _, v := range in[0].real {
			if out.kind == 7 {
				out.ints = append(out.ints, int64(v))
			} else {
				out.real = append(out.real, v)
			}
		}
		return out
	case "MatMul":
		n, d, m := in[0].dims[0], in[0].dims[1], in[1].dims[1]
		if len(in[0].dims) != 2 || len(in[1].dims) != 2 || in[1].dims[0] != d || in[0].kind != in[1].kind {
			t.Fatalf("product of the shapes %d and %d", in[0].dims, in[1].dims)
		}
		out := array{kind: in[0].kind, dims: []int{n, m}, real: make([]float64, n*m)}
		for i := range n {
			for k := range d {
				for j := range m {
					out.real[i*m+j] += in[0].real[i*d+k] * in[1].real[k*m+j]
				}
			}
		}
		return out
	case "Concat":
		out := array{kind: in[0].kind, dims: []int{in[0].dims[0], 0}}
		for i := range out.dims[0] {
			for _, p := range in {
				out.real = append(out.real, p.real[i*p.dims[1]:(i+1)*p.dims[1]]...)
			}
		}
		for _, p := range in {
			out.dims[1] += p.dims[1]
		}
		return out
	case "Unsqueeze", "Squeeze":
		out := in[0]
		at := int(in[1].ints[0])
		if kind == "Squeeze" {
			if out.dims[at] != 1 {
				t.Fatalf("axis %d of the shape %d", at, out.dims)
			}
			out.dims = slices.Delete(slices.Clone(out.dims), at, at+1)
		} else {
			out.dims = slices.Insert(slices.Clone(out.dims), at, 1)
		}
		return out
	case "ReduceSum":
		return reduce(t, in[0], in[1].ints, a.integer("keepdims", 1) == 1, sum)
	case "ReduceSumSquare":
		return reduce(t, in[0], a.ints["axes"], a.integer("keepdims", 1) == 1, func(row []float64) (s float64) {
			for _, v := range row {
				s += v * v
			}
			return s
		})
	case "ReduceMax":
		return reduce(t, in[0], a.ints["axes"], a.integer("keepdims", 1) == 1, slices.Max)
	case "ReduceMin":
		return reduce(t, in[0], a.ints["axes"], a.integer("keepdims", 1) == 1, slices.Min)
	case "Equal":
		out := broadcast(t, in[0], in[1], func(x, y float64) float64 {
			if x == y {
				return 1
			}
			return 0
		})
		return array{kind: 9, dims: out.dims, real: widen(out)}
	case "Where":
		if in[0].kind != 9 || in[1].kind != in[2].kind {
			t.Fatalf("Where of the types %d, %d and %d", in[0].kind, in[1].kind, in[2].kind)
		}
		// a+c·(b−a) would round: where c is 0 the first summand is all there is, else the second.
		second := func(c, v array, use float64) array {
			v = array{kind: 9, dims: v.dims, real: widen(v)}
			return broadcast(t, c, v, func(c, v float64) float64 {
				if c == use {
					return v
				}
				return 0
			})
		}
		out := broadcast(t, second(in[0], in[1], 1), second(in[0], in[2], 0), func(x, y float64) float64 { return x + y })
		out.kind = in[1].kind
		if out.kind == 7 {
			for _, v := range out.real {
				out.ints = append(out.ints, int64(v))
			}
			out.real = nil
		}
		return out
	case "Clip":
		return broadcast(t, broadcast(t, in[0], in[1], math.Max), in[2], math.Min)
	case "Softmax":
		out := array{kind: in[0].kind, dims: in[0].dims}
		k := in[0].dims[1]
		for lo := 0; lo < len(in[0].real); lo += k {
			row := slices.Clone(in[0].real[lo : lo+k])
			top := slices.Max(row)
			for i, v := range row {
				row[i] = math.Exp(v - top)
			}
			for _, v := range row {
				out.real = append(out.real, v/sum(row))
			}
		}
		return out
	case "ArgMax", "ArgMin":
		best := slices.Max[[]float64]
		if kind == "ArgMin" {
			best = slices.Min[[]float64]
		}
		out := reduce(t, in[0], a.ints["axis"], a.integer("keepdims", 1) == 1, func(row []float64) float64 {
			return float64(slices.Index(row, best(row)))
		})
		for _, v := range out.real {
			out.ints = append(out.ints, int64(v))
		}
		return array{kind: 7, dims: out.dims, ints: out.ints}
	case "Gather":
		return gather(t, in[0], in[1], a.integer("axis", 0))
	case "TreeEnsembleRegressor":
		return trees(t, in[0], a)
	}
	t.Fatalf("there is no operator %s", kind)
	return array{}
}

func gather(t testing.TB, data, index array, axis int64) array {
	out := array{kind: data.kind}
	if axis == 0 { // of a vector
		out.dims = index.dims
		for _, i := range index.ints {
			if data.kind == 8 {
				out.text = append(out.text, data.text[i])
			} else {
				out.real = append(out.real, data.real[i])
			}
		}
		if len(data.dims) != 1 {
			t.Fatalf("Gather from the shape %d", data.dims)
		}
		return out
	}
	n, d := data.dims[0], data.dims[1]
	out.dims = append([]int{n}, index.dims...)
	for i := range n {
		for _, j := range index.ints {
			out.real = append(out.real, data.real[i*d+int(j)])
		}
	}
	return out
}

// trees computes a TreeEnsembleRegressor, whose result is float32.
func trees(t testing.TB, x array, a attributes) array {
	thresholds, weights := a.reals["nodes_values"], a.reals["target_weights"]
	if x.kind == 11 {
		thresholds, weights = a.tensors["nodes_values_as_tensor"].real, a.tensors["target_weights_as_tensor"].real
	}
	type place struct{ tree, node int64 }
	at := map[place]int{}
	roots := map[int64]int{}
	for i, tree := range a.ints["nodes_treeids"] {
		p := place{tree, a.ints["nodes_nodeids"][i]}
		if _, twice := at[p]; twice {
			t.Fatalf("node %d occurs twice", p)
		}
		at[p] = i
		if _, seen := roots[tree]; !seen {
			roots[tree] = i
		}
	}
	leaves := map[int]int{}
	for i, tree := range a.ints["target_treeids"] {
		leaves[at[place{tree, a.ints["target_nodeids"][i]}]] = i
	}
	k := int(a.integer("n_targets", 0))
	n, d := x.dims[0], x.dims[1]
	out := array{kind: 1, dims: []int{n, k}}
	for i := range n {
		row := make([]float64, k)
		copy(row, a.reals["base_values"])
		for tree := range int64(len(roots)) {
			node := roots[tree]
			for a.strings["nodes_modes"][node] == "BRANCH_LEQ" {
				next := a.ints["nodes_falsenodeids"][node]
				v, lost := x.real[i*d+int(a.ints["nodes_featureids"][node])], a.ints["nodes_missing_value_tracks_true"]
				if v <= thresholds[node] || v != v && lost != nil && lost[node] == 1 {
					next = a.ints["nodes_truenodeids"][node]
				}
				node = at[place{tree, next}]
			}
			leaf, ok := leaves[node]
			if !ok {
				t.Fatal(fmt.Errorf("leaf %d of tree %d has no weight", node, tree))
			}
			row[a.ints["target_ids"][leaf]] += weights[leaf]
		}
		out.real = append(out.real, row...)
	}
	return out
}
