package dataset

import (
	"errors"
	"math"
	"strconv"
	"unsafe"
)

var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// number parses a finite decimal number, correctly rounded. A number with at
// most 15 digits or so and a small exponent is an integer below 2⁵³ times or
// over a power of ten that is exact, hence one correctly rounded operation
// [Clinger 1990]; all others go to strconv. The reason is empty if s is valid.
func number(s []byte) (v float64, reason string) {
	var m uint64
	i, exp := 0, 0
	neg := false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		i = 1
	}
	start := i
	for i < len(s) && s[i]-'0' < 10 {
		m = m*10 + uint64(s[i]-'0')
		i++
	}
	digits := i - start
	if i < len(s) && s[i] == '.' {
		i++
		point := i
		for i < len(s) && s[i]-'0' < 10 {
			m = m*10 + uint64(s[i]-'0')
			i++
		}
		exp = point - i
		digits += i - point
	}
	if digits == 0 {
		return slowNumber(s)
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		down := false
		if i < len(s) && (s[i] == '-' || s[i] == '+') {
			down = s[i] == '-'
			i++
		}
		first, e := i, 0
		for i < len(s) && s[i]-'0' < 10 && e < 10000 {
			e = e*10 + int(s[i]-'0')
			i++
		}
		if i == first {
			return slowNumber(s)
		}
		if down {
			e = -e
		}
		exp += e
	}
	// 19 digits fit a uint64; leading zeros count as digits, which is safe.
	if i != len(s) || digits > 19 || m > 1<<53 || exp < -22 || exp > 22 {
		return slowNumber(s)
	}
	v = float64(m)
	if exp < 0 {
		v /= powers[-exp]
	} else {
		v *= powers[exp]
	}
	if neg {
		v = -v
	}
	return v, ""
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
