package crossval

// Grid counts the combinations of settings of which setting k has Grid[k] values. The
// last setting changes first.
type Grid []int

// Len is the number of combinations.
func (g Grid) Len() int {
	n := 1
	for _, values := range g {
		n *= values
	}
	return n
}

// At returns the number of each setting's value in combination i.
func (g Grid) At(i int) []int {
	at := make([]int, len(g))
	for k := len(g) - 1; k >= 0; k-- {
		at[k] = i % g[k]
		i /= g[k]
	}
	return at
}

// Paths returns the combinations that differ in nothing but setting k, for each choice
// of the others, in the order of the values. They may be trained together where one
// model helps to find the next.
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

// Each returns n paths of one candidate each.
func Each(n int) [][]int {
	paths := make([][]int, n)
	for i := range paths {
		paths[i] = []int{i}
	}
	return paths
}
