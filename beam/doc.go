// Package beam runs the pieces of package job on Apache Beam.
//
// A pass over the data is a pipeline: its elements are numbers of items, a first step makes the
// state of each item, and the steps after it merge the states, eight at a time, in the tree of
// package job. States are files in a folder that all workers share; only numbers travel through
// the engine. Pieces are idempotent, so that an engine may repeat them, and a run that failed
// is continued by the next one, which does only what is missing. The model has the same bytes
// as that of gram fit from a stream and of gram part.
//
// This is a module of its own, so that the module gram does not depend on Beam.
package beam
