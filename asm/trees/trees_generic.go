package trees

import "encoding/binary"

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

// walkGeneric makes steps in trees.
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
