package dataset

import (
	"bytes"
	"encoding/binary"
	"sync/atomic"
)

// Parquet is the format of Apache Parquet. Programs read it that import the package app/columnar,
// as the command gram does if it is built with the tag parquet.
var Parquet = Format{&codec{
	name:     "parquet",
	summary:  "columns of Apache Parquet, a table like CSV; for programs built with -tags parquet",
	suffixes: []string{".parquet", ".pq"},
	sniff: func(head []byte) likelihood {
		if bytes.HasPrefix(head, []byte("PAR1")) || bytes.HasPrefix(head, []byte("PARE")) {
			return certain
		}
		return unlikely
	},
	target: true,
	table:  openTyped,
	reader: new(atomic.Pointer[func(in *Input) (Table, error)]),
	dense:  true,
}}

// Arrow is the format of Apache Arrow for files and for streams; Feather of version 2 is the
// former. Programs read it that import the package app/columnar.
var Arrow = Format{&codec{
	name:     "arrow",
	summary:  "file (Feather) or stream of Apache Arrow, a table like CSV; for programs built with -tags parquet",
	suffixes: []string{".arrow", ".feather", ".arrows"},
	sniff: func(head []byte) likelihood {
		if bytes.HasPrefix(head, arrowMagic) || bytes.HasPrefix(head, featherMagic) || isArrowStream(head) {
			return certain
		}
		return unlikely
	},
	target: true,
	table:  openTyped,
	reader: new(atomic.Pointer[func(in *Input) (Table, error)]),
	dense:  true,
}}

var (
	arrowMagic   = []byte("ARROW1")
	featherMagic = []byte("FEA1") // version 1, which is not read
)

// isArrowStream reports whether head is the mark of a message with a plausible length.
func isArrowStream(head []byte) bool {
	if len(head) < 8 || binary.LittleEndian.Uint32(head) != 1<<32-1 {
		return false
	}
	size := binary.LittleEndian.Uint32(head[4:])
	return size > 0 && size < 1<<28 && size%8 == 0
}
