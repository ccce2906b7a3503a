package encode

// exact is a sum without rounding errors: its terms, in ascending order of magnitude, do not overlap [S97]. The value depends on
// the numbers that were added alone, not on their order. The numbers are multiplied by down before they are added, so that 2⁶⁴ of
// the largest numbers do not overflow; digits of numbers that are below 2⁻⁹⁵⁸ are lost.
type exact []float64

const down, up = 0x1p-64, 0x1p64

// add adds x to the sum, scaled so that no partial sum overflows.
func (e *exact) add(x float64) { e.join(x * down) }

// join adds x, which is scaled already, so that the terms do not overlap afterwards.
func (e *exact) join(x float64) {
	kept := (*e)[:0]
	for _, y := range *e {
		s := x + y
		b := s - x
		if r := (x - (s - b)) + (y - b); r != 0 {
			kept = append(kept, r)
		}
		x = s
	}
	*e = append(kept, x)
}

// merge adds the terms of the sum o; the result is as exact as one sum of all numbers.
func (e *exact) merge(o exact) {
	for _, x := range o {
		e.join(x)
	}
}

// value returns the sum, rounded once, which may be infinite.
func (e exact) value() float64 { return e.rounded() * up }

// mean returns the n-th part of the sum. It is finite for n numbers.
func (e exact) mean(n int64) float64 { return e.rounded() / float64(n) * up }

// rounded returns the sum of the terms, rounded once. It is still multiplied by down.
func (e exact) rounded() float64 {
	k := len(e) - 1
	if k < 0 {
		return 0
	}
	sum := e[k]
	for k--; k >= 0; k-- {
		x, y := sum, e[k]
		sum = x + y
		rest := y - (sum - x)
		if rest == 0 {
			continue
		}
		// Halfway between two numbers, the terms that follow decide.
		if k > 0 && (rest < 0) == (e[k-1] < 0) && e[k-1] != 0 {
			if twice := 2 * rest; sum+twice-sum == twice {
				sum += twice
			}
		}
		break
	}
	return sum
}
