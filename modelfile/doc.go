// Package modelfile reads and writes model files. All models share one file format.
//
// # Layout
//
// A model file is a safetensors file without extensions, so that any reader of that
// format can open it:
//
//	bytes 0..7      H, the length of the header, uint64 little-endian
//	bytes 8..8+H−1  a JSON object, padded with spaces so that 8+H is a multiple of 64
//	the rest        the arrays, little-endian, row-major, one after the other without holes
//
// The JSON object maps the name of an array to {"dtype", "shape", "data_offsets":
// [begin, end]}, with offsets counted from the end of the header. Arrays are ordered by
// the size of their elements, 8-byte types first, so that each is aligned to its type.
// The types in use are F64, F32, I64, I32 and U8.
//
// All values under the key "__metadata__" are strings:
//
//	checksum         CRC-32C of the header with these eight hex digits as zeros; always the first key
//	format           "gram 1": the version of this layout
//	method           name of the method, for example "nystrom"
//	version          version of that method's arrays and config, a decimal number
//	config           the resolved settings as JSON
//	checksum:NAME    CRC-32C of array NAME
//
// A model inside a model has the prefix PREFIX/ before its arrays and its keys method,
// version and config. A list of strings NAME is stored as two arrays: NAME has the bytes
// of all strings, and NAME.ends the end of each. A sparse matrix NAME is stored as
// NAME.dims, NAME.ptr, NAME.col and, unless all values are 1, NAME.val.
//
// A file can be read in Python with NumPy alone:
//
//	import json, numpy as np
//	b = open("m.gram", "rb").read()
//	h = int.from_bytes(b[:8], "little")
//	head = json.loads(b[8:8+h])
//	types = {"F64": "<f8", "F32": "<f4", "I64": "<i8", "I32": "<i4", "U8": "u1"}
//	def array(name):
//	    t = head[name]
//	    lo, hi = t["data_offsets"]
//	    return np.frombuffer(b[8+h+lo:8+h+hi], types[t["dtype"]]).reshape(t["shape"])
//
// # Versions
//
// Files of all earlier versions load: every method reads the files of each of its
// versions. The testdata of a method has a golden file of each version, with rows and
// the outputs that they had then, and a test compares the outputs of the current code
// with them. A file of a version that the program does not know is refused, with a
// message that names both versions.
//
// # Trust
//
// Read, ReadFile and Map accept any bytes: they return a *FormatError that says where
// the file is wrong, and allocate no more than the input really holds. They, or Verify
// for a mapped file, notice every flipped byte and every truncation. Checksums guard
// against damage, not against forgery.
package modelfile
