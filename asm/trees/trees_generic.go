package trees

import (
	"encoding/binary"

	"github.com/gramworks/gram/num"
)

// chooseGeneric makes choices, eight bytes at a time.
func chooseGeneric(buffer []uint8, choices []Choice) {
	const top, ones = 0x8080808080808080, 0x0101010101010101
	for _, c := range choices {
		key, low := buffer[c.Key:][:Lanes], buffer[c.Low:][:Lanes]
		high, to := buffer[c.High:][:Lanes], buffer[c.To:][:Lanes]
		limit := uint64(uint8(c.Limit)) * ones
		for i := 0; i < Lanes; i += 8 {
			k := binary.LittleEndian.Uint64(key[i:])
			// The difference of each byte, without borrows between them, then where k < limit.
			diff := (k | top) - (limit &^ top) ^ (k^^limit)&top
			less := (k&^limit | ^(k^limit)&diff) & top
			mask := less >> 7 * 255
			binary.LittleEndian.PutUint64(to[i:], binary.LittleEndian.Uint64(low[i:])&mask|binary.LittleEndian.Uint64(high[i:])&^mask)
		}
	}
}

// walkGeneric defines the result of Walk: it makes the steps in four trees at a time.
func walkGeneric(nodes []uint64, keys *[Keys]uint8, at *[Walks]uint64, steps int) {
	next := func(n uint64) uint64 { return nodes[n>>32+(n>>16&0xff-uint64(keys[uint16(n)]))>>63] }
	for w := 0; w < Walks; w += 4 {
		n0, n1, n2, n3 := nodes[at[w]], nodes[at[w+1]], nodes[at[w+2]], nodes[at[w+3]]
		for range steps {
			n0, n1, n2, n3 = next(n0), next(n1), next(n2), next(n3)
		}
		at[w], at[w+1], at[w+2], at[w+3] = n0>>32, n1>>32, n2>>32, n3>>32
	}
}

// rankGeneric makes ranks of numbers, and keys of these.
func rankGeneric[F num.Float](keys []uint8, stride int, x []F, step, n int, tables []F, columns []ranked) {
	count := func(block []F, v F) (k int) {
		for half := fan / 2; half > 0; half /= 2 {
			k += exceeds(v, block[k+half-1]) * half
		}
		return k + exceeds(v, block[k])
	}
	for _, c := range columns {
		table := tables[c.table:]
		for i := range n {
			v := x[i*step+int(c.feature)]
			block := count(table[:fan], v)
			keys[int(c.key)*stride+i] = uint8(fan*block+count(table[fan*(block+1):][:fan], v)) ^ 0x80
		}
	}
}

func exceeds[F num.Float](v, threshold F) int {
	k := 0
	if v > threshold {
		k = 1
	}
	return k
}

// addGeneric defines the result of Add.
func addGeneric[F num.Float](sums []F, leaves []uint8, value []F, starts []int32, step, _ int) {
	sums = sums[:Lanes]
	for t := 0; t < len(starts); t += step {
		of, values := leaves[t*Lanes:][:Lanes], value[starts[t]:]
		for i, leaf := range of {
			sums[i] += values[leaf]
		}
	}
}

// descendGeneric defines the result of Run for some trees: for each it goes from the root to a leaf.
func descendGeneric(leaves, _, keys []uint8, splits []Splits, steps []int32) {
	for t := range splits {
		s, at := &splits[t], uint8(0)
		for range steps[t/together] {
			if at >= MostLeaves {
				break
			}
			to := s.Low[at]
			if int8(keys[s.Key[at]]) > s.Limit[at] {
				to = s.High[at]
			}
			at = to
		}
		leaves[t] = at
	}
}
