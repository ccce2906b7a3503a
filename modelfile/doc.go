// Package modelfile reads and writes the one file format of all models.
//
// # Layout
//
// A model file is a plain safetensors file, so that any reader of that format
// opens it:
//
//	bytes 0..7      H, the length of the header, uint64 little-endian
//	bytes 8..8+H−1  a JSON object, padded with spaces so that 8+H is a multiple of 64
//	the rest        the arrays, little-endian, row-major, one after the other without holes
//
// The JSON object maps an array's name to {"dtype", "shape", "data_offsets":
// [begin, end]}, offsets counted from the end of the header. Arrays are ordered
// by the size of their elements, 8-byte types first, so each is aligned to its
// type. Types in use are F64, F32, I64, I32 and U8.
//
// The key "__metadata__" holds strings only:
//
//	checksum         CRC-32C of the header with these eight hex digits as zeros; always the first key
//	format           "gram 1": the version of this layout
//	method           name of the method, for example "nystrom"
//	version          version of that method's arrays and config, a decimal number
//	config           the resolved settings as JSON
//	checksum:NAME    CRC-32C of array NAME
//
// A model inside a model has its arrays and its keys method, version and config
// prefixed with PREFIX/. A list of strings NAME is two arrays: NAME, the bytes
// of all strings, and NAME.ends, where each ends. A sparse matrix NAME is
// NAME.dims, NAME.ptr, NAME.col and, unless all values are 1, NAME.val.
//
// In Python, without any library but NumPy:
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
// Files of all earlier versions load: every method reads what any version of it has
// written. Each method has a golden file of each of its versions in its testdata, with
// rows and the outputs of then, and a test holds today's program to them. A file of a
// version that this program does not know yet is refused, with a message that names both
// versions.
//
// # Trust
//
// Read, ReadFile and Map accept any bytes: they return a *FormatError that says
// where the file is wrong, and allocate no more than the input really holds.
// Every single flipped byte and every truncation is noticed; the checksums
// guard against damage, not against forgery.
package modelfile
