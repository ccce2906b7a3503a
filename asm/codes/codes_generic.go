package codes

import "math/bits"

func xorCountGeneric(a, b []uint64) int {
	b = b[:len(a)]
	count := 0
	for i, v := range a {
		count += bits.OnesCount64(v ^ b[i])
	}
	return count
}

func andCountGeneric(a, b []uint64) int {
	b = b[:len(a)]
	count := 0
	for i, v := range a {
		count += bits.OnesCount64(v & b[i])
	}
	return count
}

func dot8Generic(a []uint8, b []int8) int {
	b = b[:len(a)]
	sum := 0
	for i, v := range a {
		sum += int(v) * int(b[i])
	}
	return sum
}

func dot4Generic(a []uint8, low, high []int8) int {
	low, high = low[:len(a)], high[:len(a)]
	sum := 0
	for i, v := range a {
		sum += int(v&15)*int(low[i]) + int(v>>4)*int(high[i])
	}
	return sum
}

func squares8Generic(a, b []uint8) int {
	b = b[:len(a)]
	sum := 0
	for i, v := range a {
		d := int(v) - int(b[i])
		sum += d * d
	}
	return sum
}

func squares4Generic(a, b []uint8) int {
	b = b[:len(a)]
	sum := 0
	for i, v := range a {
		low, high := int(v&15)-int(b[i]&15), int(v>>4)-int(b[i]>>4)
		sum += low*low + high*high
	}
	return sum
}

func dotSignedGeneric(a, b []int8) int {
	b = b[:len(a)]
	sum := 0
	for i, v := range a {
		sum += int(v) * int(b[i])
	}
	return sum
}

func squaresSignedGeneric(a, b []int8) int {
	b = b[:len(a)]
	sum := 0
	for i, v := range a {
		d := int(v) - int(b[i])
		sum += d * d
	}
	return sum
}
