package crossval

// Grid counts combinations of settings: setting k has Grid[k] values. The last setting
// changes fastest.
type Grid []int

// Len returns the number of combinations, the product of the numbers in g.
func (g Grid) Len() int {
	n := 1
	for _, values := range g {
		n *= values
	}
	return n
}

// At returns, for combination i, the number of the value of each setting.
func (g Grid) At(i int) []int {
	at := make([]int, len(g))
	for k := len(g) - 1; k >= 0; k-- {
		at[k] = i % g[k]
		i /= g[k]
	}
	return at
}

// Paths returns, for each choice of the other settings, the combinations that differ in
// setting k alone, in the order of its values. They can be trained together if one model
// helps to find the next.
func (g Grid) Paths(k int) [][]int {
	var paths [][]int
	step := Grid(g[k+1:]).Len()
	for i := range g.Len() {
		if g.At(i)[k] > 0 {
			continue
		}
		path := make([]int, g[k])
		for v := range path {
			path[v] = i + v*step
		}
		paths = append(paths, path)
	}
	return paths
}

// Each returns n paths with one candidate each.
func Each(n int) [][]int {
	paths := make([][]int, n)
	for i := range paths {
		paths[i] = []int{i}
	}
	return paths
}
