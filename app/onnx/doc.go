// Package onnx writes fitted models in the format of ONNX, which onnxruntime and other
// programs run: scaling, feature map, coefficients, decision and probabilities as one graph
// of operators of the standard set.
//
//	p, err := pipeline.Load("model.gram", catalog.Registry())
//	…
//	left, err := onnx.Write(file, p, predict.Float32)
//
// # What is written
//
// The input "x" has one row for each sample and the columns of the data. The outputs are
//
//	classes       "label", the name of the class; "probabilities"; "scores", one for two classes,
//	              positive for the second, else one for each class
//	values        "value"
//	label sets    "scores", one for each label
//
// Models that are linear functions of the features of a basis are written: linear
// machines on the data, on Nyström, Fourier, structured, pseudo-landmark and learned
// features, and all kernel machines, with the kernels of package kernel. So are boosted
// trees, machines in parts, of which the graph computes all for every row, and models compiled
// to such functions. Write refuses other models with the reason, models of tables with
// encoded columns, and trees that split categories.
//
// Landmarks and frequencies that come from fast transforms are written out: the graph has
// dense products only. Squared distances are ‖x‖²+‖z‖²−2⟨x,z⟩ after the mean of the points
// has been subtracted.
//
// # What differs
//
// A row with NaN is not told apart: programs differ in what they make of it. Trees whose columns may
// have missing numbers, as all imported ones, send NaN where the model does. Sparse rows must be
// filled with zeros.
//
// # Accuracy
//
// Outputs agree with the model's within rounding: to about 1e-12 of the largest output in
// float64 and 1e-5 in float32, more where coefficients are large and cancel. Scaling is
// computed in float64 in either precision.
package onnx
