package dataset

import (
	"encoding/binary"
	"io"
	"math"
	"path/filepath"
	"strings"
)

// IDX is the binary format of MNIST. It is not written.
var IDX = Format{&codec{
	name:       "idx",
	summary:    "binary format of MNIST; the labels are in a second file",
	suffixes:   []string{"-ubyte", ".idx"},
	sniff:      sniffIDX,
	targetFile: true,
	open:       newIDX,
}}

func sniffIDX(head []byte) likelihood {
	if len(head) < 4 || head[0] != 0 || head[1] != 0 || head[3] == 0 {
		return unlikely
	}
	if _, ok := idxKinds[head[2]]; !ok {
		return unlikely
	}
	return certain
}

// idxKinds are the types of numbers by their code.
var idxKinds = map[byte]elementType{0x08: u8, 0x09: i8, 0x0b: i16, 0x0c: i32, 0x0d: f32, 0x0e: f64}

// idxHeader reads the header: 0, 0, type, dimensions, then each dimension as a
// big-endian 32-bit number.
func idxHeader(in *textInput) (*binarySource, error) {
	var head [4]byte
	if _, err := io.ReadFull(in.r, head[:]); err != nil {
		return nil, in.wrap(err, 0)
	}
	k, ok := idxKinds[head[2]]
	if head[0] != 0 || head[1] != 0 || !ok || head[3] == 0 {
		return nil, in.fail(0, 0, "not an IDX file: it starts with % x", head)
	}
	s := &binarySource{in: in, kind: k, order: binary.BigEndian, column: -1, d: 1}
	for i := range int(head[3]) {
		var b [4]byte
		if _, err := io.ReadFull(in.r, b[:]); err != nil {
			return nil, in.wrap(err, 0)
		}
		v := int64(binary.BigEndian.Uint32(b[:]))
		if i == 0 {
			if v > math.MaxInt {
				return nil, in.fail(0, 0, "%d rows are more than this machine can count", v)
			}
			s.n = int(v)
			continue
		}
		if v *= int64(s.d); v < 1 || v > maxDim {
			return nil, in.fail(0, 0, "a row has %d numbers, want 1 to %d", v, maxDim)
		}
		s.d = int(v)
	}
	return s, nil
}

func newIDX(in *textInput, o Options) (source, error) {
	s, err := idxHeader(in)
	if err != nil {
		return nil, err
	}
	if err := s.checkDim(o); err != nil {
		return nil, err
	}
	dir, base := filepath.Split(in.name)
	guess := strings.Replace(base, "images-idx3", "labels-idx1", 1)
	if guess == base {
		guess = ""
	} else {
		guess = dir + guess
	}
	return s, s.openTarget(o, guess)
}
