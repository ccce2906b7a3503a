package onnx

import (
	"encoding/binary"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"google.golang.org/protobuf/encoding/protowire"
)

// The types of tensors, by their numbers in onnx.proto.
const (
	typeFloat  = 1
	typeInt64  = 7
	typeString = 8
	typeDouble = 11
)

// domainML is the domain of the operators of trees.
const domainML = "ai.onnx.ml"

// graph collects the nodes and constants of a model in the wire format of onnx.proto. The
// names of fields are in the comments.
type graph struct {
	real    int64 // typeFloat or typeDouble
	nodes   []byte
	tensors []byte
	inputs  []byte
	outputs []byte
	names   int
	trees   bool // an operator of domainML is used
}

// name returns a new name of a value that begins with kind.
func (g *graph) name(kind string) string {
	g.names++
	return fmt.Sprintf("%s_%d", kind, g.names)
}

// attribute is an AttributeProto in the wire format.
type attribute []byte

func text(b []byte, field protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

func bytes(b []byte, field protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), v)
}

func varint(b []byte, field protowire.Number, v int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(v))
}

// packed appends integers as one packed field of varints.
func packed(b []byte, field protowire.Number, values []int64) []byte {
	var all []byte
	for _, v := range values {
		all = protowire.AppendVarint(all, uint64(v))
	}
	return bytes(b, field, all)
}

// The numbers of AttributeProto.type.
const (
	attributeInt     = 2
	attributeTensor  = 4
	attributeFloats  = 6
	attributeInts    = 7
	attributeStrings = 8
)

// newAttribute returns an attribute without its value: name and type.
func newAttribute(name string, kind int64) []byte { return varint(text(nil, 1, name), 20, kind) }

func intAttribute(name string, v int64) attribute {
	return varint(newAttribute(name, attributeInt), 3, v)
}

func intsAttribute(name string, v []int64) attribute {
	return packed(newAttribute(name, attributeInts), 8, v)
}

func floatsAttribute(name string, v []float64) attribute {
	return bytes(newAttribute(name, attributeFloats), 7, raw(typeFloat, v))
}

func stringsAttribute(name string, v []string) attribute {
	b := newAttribute(name, attributeStrings)
	for _, s := range v {
		b = text(b, 9, s)
	}
	return b
}

func tensorAttribute(name string, tensor []byte) attribute {
	return bytes(newAttribute(name, attributeTensor), 5, tensor)
}

// op adds a node of the standard operators and returns the name of its result.
func (g *graph) op(kind string, inputs []string, attributes ...attribute) string {
	return g.node("", kind, inputs, g.name(kind), attributes...)
}

// node adds a NodeProto of the operator kind, of the standard operators if domain is "", and returns the name output of its only
// result.
func (g *graph) node(domain, kind string, inputs []string, output string, attributes ...attribute) string {
	var b []byte
	for _, in := range inputs {
		b = text(b, 1, in) // input
	}
	b = text(b, 2, output)         // output
	b = text(b, 3, "node_"+output) // name
	b = text(b, 4, kind)           // op_type
	for _, a := range attributes {
		b = bytes(b, 5, a) // attribute
	}
	if domain != "" {
		b = text(b, 7, domain)
		g.trees = true
	}
	g.nodes = bytes(g.nodes, 1, b) // GraphProto.node
	return output
}

// raw returns real numbers as little-endian bytes of a type. Numbers too large for float32
// become its largest.
func raw(kind int64, values []float64) []byte {
	var b []byte
	if kind == typeDouble {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		return b
	}
	for _, v := range single(values) {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// tensor returns a TensorProto of real numbers of the type kind, row by row, as raw bytes.
func tensor(name string, kind int64, values []float64, dims ...int) []byte {
	return bytes(text(header(kind, dims), 8, name), 9, raw(kind, values)) // name, raw_data
}

// header returns dims and data_type of a TensorProto.
func header(kind int64, dims []int) []byte {
	wide := make([]int64, len(dims))
	for i, d := range dims {
		wide[i] = int64(d)
	}
	return varint(packed(nil, 1, wide), 2, kind)
}

// constant adds a GraphProto.initializer and returns its name.
func (g *graph) constant(kind string, encode func(name string) []byte) string {
	name := g.name(kind)
	g.tensors = bytes(g.tensors, 5, encode(name))
	return name
}

// reals adds a constant of real numbers of a type.
func (g *graph) reals(kind string, of int64, values []float64, dims ...int) string {
	return g.constant(kind, func(name string) []byte { return tensor(name, of, values, dims...) })
}

// row adds the values as a constant of shape 1×n and returns its name.
func (g *graph) row(kind string, values []float64) string {
	return g.reals(kind, g.real, values, 1, len(values))
}

// scalar adds v as a constant without dimensions and returns its name.
func (g *graph) scalar(kind string, v float64) string { return g.reals(kind, g.real, []float64{v}) }

// matrix adds x as a constant of the same shape and returns its name.
func (g *graph) matrix(kind string, x mat.Matrix) string {
	r, c := x.Dims()
	values := make([]float64, 0, r*c)
	for i := range r {
		for j := range c {
			values = append(values, x.At(i, j))
		}
	}
	return g.reals(kind, g.real, values, r, c)
}

// ints adds the values as a constant vector of int64 and returns its name.
func (g *graph) ints(kind string, values ...int64) string {
	return g.constant(kind, func(name string) []byte {
		var b []byte
		for _, v := range values {
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
		return bytes(text(header(typeInt64, []int{len(values)}), 8, name), 9, b)
	})
}

// strings adds the values as a constant vector of strings and returns its name.
func (g *graph) strings(kind string, values []string) string {
	return g.constant(kind, func(name string) []byte {
		b := text(header(typeString, []int{len(values)}), 8, name)
		for _, s := range values {
			b = text(b, 6, s) // string_data
		}
		return b
	})
}

// value returns a ValueInfoProto for a tensor whose first size is the number of rows, with
// the sizes dims after that.
func value(name string, kind int64, dims ...int) []byte {
	shape := bytes(nil, 1, text(nil, 2, "rows")) // TensorShapeProto.dim, dim_param
	for _, d := range dims {
		shape = bytes(shape, 1, varint(nil, 1, int64(d))) // dim_value
	}
	of := bytes(varint(nil, 1, kind), 2, shape)            // TypeProto.Tensor: elem_type, shape
	return bytes(text(nil, 1, name), 2, bytes(nil, 1, of)) // name, type.tensor_type
}

// input declares an input of any number of rows, with the sizes dims after that, and returns its name.
func (g *graph) input(name string, kind int64, dims ...int) string {
	g.inputs = bytes(g.inputs, 11, value(name, kind, dims...))
	return name
}

// output gives a value the name under which it is an output.
func (g *graph) output(from, name string, kind int64, dims ...int) {
	g.node("", "Identity", []string{from}, name)
	g.outputs = bytes(g.outputs, 12, value(name, kind, dims...))
}

// model returns the ModelProto in the wire format, with the version of the program, a description, and properties as pairs of a
// key and a value.
func (g *graph) model(version, doc string, properties [][2]string) []byte {
	all := append([]byte(nil), g.nodes...)
	all = text(all, 2, "gram")
	all = append(all, g.tensors...)
	all = append(all, g.inputs...)
	all = append(all, g.outputs...)
	b := varint(nil, 1, irVersion)
	b = text(b, 2, "gram") // producer_name
	b = text(b, 3, version)
	b = text(b, 6, doc)
	b = bytes(b, 7, all)                                // graph
	b = bytes(b, 8, varint(text(nil, 1, ""), 2, opset)) // opset_import: domain, version
	if g.trees {
		b = bytes(b, 8, varint(text(nil, 1, domainML), 2, opsetML))
	}
	for _, p := range properties {
		b = bytes(b, 14, text(text(nil, 1, p[0]), 2, p[1])) // metadata_props
	}
	return b
}

// single returns x in float32. Finite numbers that are too large become the largest finite one,
// with their sign.
func single(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
		if math.IsInf(float64(y[i]), 0) && !math.IsInf(v, 0) {
			y[i] = float32(math.Copysign(math.MaxFloat32, v))
		}
	}
	return y
}
