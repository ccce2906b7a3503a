package hist

func addGeneric[C uint8 | uint16](k int, h *[Most][]Cell, code *[Most][]C, rows []int32, v []Cell) {
	v = v[:len(rows)]
	for c := range k {
		h, code := h[c], code[c]
		for p, i := range rows {
			cell, w := &h[code[i]], v[p]
			cell[0] += w[0]
			cell[1] += w[1]
		}
	}
}

func addListsGeneric(h []Cell, bin []uint32, start []int, rows []int32, v []Cell) {
	v = v[:len(rows)]
	for p, i := range rows {
		w := v[p]
		for _, b := range bin[start[i]:start[i+1]] {
			cell := &h[b]
			cell[0] += w[0]
			cell[1] += w[1]
		}
	}
}
