package num

// Fan is the number of values that a Tree merges into one.
const Fan = 8

// Tree merges a sequence of values in a fixed tree: each group of Fan consecutive values is
// merged in order, then each group of Fan results, until one value is left. The tree depends
// on the number of values alone, so that parts of it can be computed in different places with
// the same result. A Tree holds one value for each level, about log₈ n of n values.
type Tree[T any] struct {
	Merge  func(a, b T) (T, error) // may change and return a, and change b
	levels []group[T]
}

// group is a part of the values of a level that are merged into one of the next.
type group[T any] struct {
	sum   T
	count int
}

// Add takes the next value and merges every group that it completes. The error is that of Merge.
func (t *Tree[T]) Add(v T) error { return t.add(0, v) }

func (t *Tree[T]) add(level int, v T) error {
	if level == len(t.levels) {
		t.levels = append(t.levels, group[T]{})
	}
	g := &t.levels[level]
	if g.count == 0 {
		g.sum = v
	} else {
		sum, err := t.Merge(g.sum, v)
		if err != nil {
			return err
		}
		g.sum = sum
	}
	if g.count++; g.count < Fan {
		return nil
	}
	v = g.sum
	*g = group[T]{}
	return t.add(level+1, v)
}

// Result merges what is left and returns the value of all, the zero T if there was none. The
// tree is empty afterwards.
func (t *Tree[T]) Result() (T, error) {
	var result T
	for level := 0; level < len(t.levels); level++ {
		g := t.levels[level]
		if g.count == 0 {
			continue
		}
		if level == len(t.levels)-1 && g.count > 0 {
			result = g.sum
			break
		}
		t.levels[level] = group[T]{}
		if err := t.add(level+1, g.sum); err != nil {
			return result, err
		}
	}
	t.levels = nil
	return result, nil
}
