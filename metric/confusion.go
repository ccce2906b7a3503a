package metric

// Confusion counts rows by their class and by the class that was predicted, over any
// number of blocks of rows.
type Confusion struct {
	// Count[t][p] is the number of rows of class t for which class p was predicted.
	Count [][]int
	// None[t] is the number of rows of class t without a prediction.
	None []int
}

// NewConfusion returns a Confusion without rows for the given number of classes.
func NewConfusion(classes int) *Confusion {
	c := &Confusion{Count: make([][]int, classes), None: make([]int, classes)}
	for t := range c.Count {
		c.Count[t] = make([]int, classes)
	}
	return c
}

// Add counts rows. A prediction of −1 stands for a row that could not be predicted. It
// panics if the slices differ in length or have a class that is not counted.
func (c *Confusion) Add(predicted, class []int) {
	if len(predicted) != len(class) {
		panic("metric: slices differ in length")
	}
	for i, t := range class {
		if p := predicted[i]; p < 0 {
			c.None[t]++
		} else {
			c.Count[t][p]++
		}
	}
}

// Merge adds the rows of o, which must have the same number of classes.
func (c *Confusion) Merge(o *Confusion) {
	for t, row := range o.Count {
		c.None[t] += o.None[t]
		for p, n := range row {
			c.Count[t][p] += n
		}
	}
}

// Actual returns the number of rows of class k.
func (c *Confusion) Actual(k int) int {
	n := c.None[k]
	for _, v := range c.Count[k] {
		n += v
	}
	return n
}

// Predicted returns the number of rows for which class k was predicted.
func (c *Confusion) Predicted(k int) int {
	n := 0
	for _, row := range c.Count {
		n += row[k]
	}
	return n
}

// Accuracy returns the fraction of rows whose predicted class is the true one, NaN
// without rows.
func (c *Confusion) Accuracy() float64 {
	right, n := 0, 0
	for k := range c.Count {
		right += c.Count[k][k]
		n += c.Actual(k)
	}
	return float64(right) / float64(n)
}

// Precision returns the fraction of the rows predicted as class k that have this class.
// It is 0 if the class was never predicted.
func (c *Confusion) Precision(k int) float64 { return share(c.Count[k][k], c.Predicted(k)) }

// Recall returns the fraction of the rows of class k that were predicted as this class.
// It is 0 if the class does not occur.
func (c *Confusion) Recall(k int) float64 { return share(c.Count[k][k], c.Actual(k)) }

// F1 returns the harmonic mean of precision and recall of class k. It is 0 if the class
// neither occurs nor was predicted.
func (c *Confusion) F1(k int) float64 {
	return share(2*c.Count[k][k], c.Actual(k)+c.Predicted(k))
}

func share(part, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}

// BalancedAccuracy returns the mean of the recalls of the classes that occur, NaN
// without rows.
func (c *Confusion) BalancedAccuracy() float64 {
	return c.mean(c.Recall, func(k int) bool { return c.Actual(k) > 0 })
}

// MacroF1 returns the mean of F1 over the classes that occur or were predicted, NaN if
// there are none.
func (c *Confusion) MacroF1() float64 {
	return c.mean(c.F1, func(k int) bool { return c.Actual(k)+c.Predicted(k) > 0 })
}

func (c *Confusion) mean(of func(k int) float64, counts func(k int) bool) float64 {
	var sum float64
	n := 0
	for k := range c.Count {
		if counts(k) {
			sum += of(k)
			n++
		}
	}
	return sum / float64(n)
}
