package settings

import "strings"

// Hint returns " (did you mean NAME?)" with the name in names that is nearest to name, and
// "" if none is near: no more than one change of a letter in three, where a change
// inserts, deletes or replaces a letter or swaps two neighbors, and not all letters. Capital and
// small letters are the same. Errors about unknown names end with it.
func Hint(name string, names []string) string {
	best, least := "", max(1, len(name)/3)+1
	for _, n := range names {
		if d := distance(strings.ToLower(name), strings.ToLower(n)); d < min(least, max(len(name), len(n))) {
			best, least = n, d
		}
	}
	if best == "" {
		return ""
	}
	return " (did you mean " + best + "?)"
}

// distance is the Damerau–Levenshtein distance of a and b in which no letter is changed
// twice, in O(|a|·|b|).
func distance(a, b string) int {
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			change := 1
			if a[i] == b[j] {
				change = 0
			}
			row[j+1] = min(last[j]+change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
