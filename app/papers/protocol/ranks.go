package protocol

import "math"

// Ranks returns the places of figures of the same repeats, each a figure of as many values: 1 for the best of a
// repeat, which is the largest or the least. Equal ones have the mean of their places.
func Ranks(figures []*Figure, larger bool) ([]*Figure, error) {
	n, err := repeatsOf(figures)
	if err != nil {
		return nil, err
	}
	out := make([]*Figure, len(figures))
	for i, f := range figures {
		out[i] = &Figure{repeats: n, seconds: f.seconds, bytes: f.bytes, seen: f.seen, shared: f.shared}
		for k, v := range f.values {
			place := .5
			for _, g := range figures {
				switch w := g.values[k]; {
				case w == v:
					place += .5
				case w > v == larger:
					place++
				}
			}
			out[i].values = append(out[i].values, place)
		}
	}
	return out, nil
}

// MeanOf returns a figure with the mean of the figures' values for each repeat. Its seconds are the sum of their seconds, its
// bytes the largest of their bytes.
func MeanOf(figures []*Figure) (*Figure, error) {
	n, err := repeatsOf(figures)
	if err != nil {
		return nil, err
	}
	out := &Figure{repeats: n, values: make([]float64, n)}
	for _, f := range figures {
		for k, v := range f.values {
			out.values[k] += v / float64(len(figures))
		}
		out.seconds += f.seconds
		out.bytes = max(out.bytes, f.bytes)
		out.shared += f.shared / float64(len(figures))
		if f.seen != "" {
			out.seen = f.seen
		}
	}
	return out, nil
}

// repeatsOf returns the number of values that all figures have.
func repeatsOf(figures []*Figure) (int, error) {
	for _, f := range figures {
		switch {
		case f.err != nil:
			return 0, f.err
		case len(f.values) != f.repeats || len(f.values) != len(figures[0].values):
			return 0, broken("%d values of %d repeats beside %d", len(f.values), f.repeats, len(figures[0].values))
		}
		for _, v := range f.values {
			if math.IsNaN(v) {
				return 0, broken("a value is not a number")
			}
		}
	}
	if len(figures) == 0 {
		return 0, broken("no figures")
	}
	return len(figures[0].values), nil
}
