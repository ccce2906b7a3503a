package dataset

import (
	"errors"
	"math"
	"strconv"
	"unsafe"
)

var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// parseNumber parses a finite decimal number, correctly rounded. The reason is empty
// if s is valid.
func parseNumber(s []byte) (v float64, reason string) {
	v, end, reason := numberAt(s, 0)
	if reason == "" && end != len(s) { // a blank inside
		return slowNumber(s)
	}
	return v, reason
}

// numberAt parses the number that starts at i and ends before a blank or at the
// end of s. A number with at most 15 digits or so and a small exponent is an
// integer up to 2⁵³ times or over a power of ten that is exact, hence one
// correctly rounded operation [C90]; all others go to strconv.
//
// [C90] W. Clinger, How to read floating point numbers accurately,
// PLDI.
func numberAt(s []byte, i int) (v float64, end int, reason string) {
	var m uint64
	first, exp := i, 0
	neg := false
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		neg = s[i] == '-'
		i++
	}
	start := i
	for i < len(s) {
		c := s[i] - '0'
		if c > 9 {
			break
		}
		m = m*10 + uint64(c)
		i++
	}
	digits := i - start
	if i < len(s) && s[i] == '.' {
		i++
		point := i
		for i < len(s) {
			c := s[i] - '0'
			if c > 9 {
				break
			}
			m = m*10 + uint64(c)
			i++
		}
		exp = point - i
		digits += i - point
	}
	if digits > 0 && i < len(s) && s[i]|0x20 == 'e' {
		i++
		down := false
		if i < len(s) && (s[i] == '-' || s[i] == '+') {
			down = s[i] == '-'
			i++
		}
		from, e := i, 0
		for i < len(s) && s[i]-'0' < 10 && e < 10000 {
			e = e*10 + int(s[i]-'0')
			i++
		}
		if i == from {
			digits = 0
		}
		if down {
			e = -e
		}
		exp += e
	}
	// 19 digits fit a uint64; leading zeros count as digits, which is safe.
	if (i == len(s) || blank(s[i])) && digits > 0 && digits <= 19 && m <= 1<<53 && exp >= -22 && exp <= 22 {
		v = float64(m)
		if exp < 0 {
			v /= powers[-exp]
		} else if exp > 0 {
			v *= powers[exp]
		}
		if neg {
			v = -v
		}
		return v, i, ""
	}
	for i < len(s) && !blank(s[i]) {
		i++
	}
	v, reason = slowNumber(s[first:i])
	return v, i, reason
}

// slowNumber is number by strconv. It refuses what Go accepts and data files
// do not: hexadecimal numbers and digits grouped by underscores.
func slowNumber(s []byte) (float64, string) {
	if len(s) == 0 {
		return 0, "a number is missing"
	}
	plain := true
	for _, c := range s {
		if c == '_' || c == 'x' || c == 'X' {
			plain = false
		}
	}
	v, err := strconv.ParseFloat(unsafe.String(&s[0], len(s)), 64)
	switch {
	case !plain, err != nil && !errors.Is(err, strconv.ErrRange):
		return 0, quote(s) + " is not a number"
	case err != nil:
		return 0, quote(s) + " is out of range"
	case math.IsNaN(v) || math.IsInf(v, 0):
		return 0, quote(s) + " is not finite"
	}
	return v, ""
}

// parseInteger reads the decimal digits of s from i on: the number, where they end, and whether
// it is above maxDim, which it is then set to. Without a digit the end is i.
func parseInteger(s []byte, i int) (k, end int, large bool) {
	var v int64
	for i < len(s) && s[i]-'0' < 10 {
		v = min(10*v+int64(s[i]-'0'), maxDim+1)
		i++
	}
	return int(min(v, maxDim)), i, v > maxDim
}
