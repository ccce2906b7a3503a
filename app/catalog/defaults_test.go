package catalog_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/search"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"gonum.org/v1/gonum/stat"
)

var defaults = flag.Bool("defaults", false, "compare the defaults of all methods with settings drawn from their ranges, on real data; takes some minutes")

// onlyDefaults restricts the study to methods, with commas between them.
var onlyDefaults = flag.String("defaults-methods", "", "for -defaults: names of methods")

// onlyDefaultData restricts the study to data sets, with commas between them.
var onlyDefaultData = flag.String("defaults-data", "", "for -defaults: names of data sets")

// The table says how far the defaults of each method are from the best of eight settings drawn
// from its own ranges, on 1000 rows in three folds: more than one point of accuracy, or three
// percent of the root mean square error, is marked. It fails where a method cannot be fitted or
// is worse than a constant.
func TestDefaultsHold(t *testing.T) {
	if !*defaults {
		t.Skip("-defaults is not set")
	}
	dir, err := dataset.FindDir()
	if err != nil {
		t.Skip("no data: ", err)
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer out.Flush()
	fmt.Fprintln(out, "data\tmethod\tdefault\tbest\tbehind\tseconds\tbest settings")
	for _, name := range []string{"boston", "airfoil", "wine-quality", "cadata", "pendigits", "ijcnn1", "a9a", "usps"} {
		if *onlyDefaultData != "" && !slices.Contains(strings.Split(*onlyDefaultData, ","), name) {
			continue
		}
		o := dataset.Options{Task: dataset.Regression}
		if slices.Contains([]string{"usps", "pendigits", "ijcnn1", "a9a"}, name) {
			o.Task = dataset.Classes
		}
		d, _, err := dir.Load(name, o)
		if err != nil {
			t.Fatal(err)
		}
		if n, _ := d.Dims(); n > 1000 {
			d = d.Select(dataset.Sample(n, 1000, 1))
		}
		constant := stat.PopStdDev(d.Value, nil)
		if o.Task == dataset.Classes {
			count := map[int]int{}
			most := 0
			for _, c := range d.Labels.Class {
				count[c]++
				most = max(most, count[c])
			}
			constant = float64(most) / float64(len(d.Labels.Class))
		}
		for _, m := range catalog.Methods() {
			if m.Clusters || !slices.Contains(m.Tasks, o.Task) || *onlyDefaults != "" && !slices.Contains(strings.Split(*onlyDefaults, ","), m.Name) {
				continue
			}
			s := search.Config{Methods: []catalog.Method{m}, Trials: 8, Folds: 3, Scale: training.AutoScale, Run: gram.Run{Seed: 1}}
			f, err := s.Do(t.Context(), d)
			if err != nil {
				t.Errorf("%s, %s: %v", name, m.Name, err)
				continue
			}
			was, best := f.Trials[0], f.Trials[f.Best]
			behind, allowed, unit := 100*(best.Score-was.Score), 1., ""
			poor := was.Score < constant
			if !f.Larger {
				behind, allowed, unit = 100*(was.Score/best.Score-1), 3, " %"
				poor = was.Score > constant
			}
			note := ""
			switch {
			case was.Failed != "" || poor:
				note = "  worse than a constant"
				t.Errorf("%s, %s: %.4g with the defaults, %.4g by a constant", name, m.Name, was.Score, constant)
			case !(behind <= allowed):
				note = "  behind"
			}
			fmt.Fprintf(out, "%s\t%s\t%.4g\t%.4g\t%.1f%s%s\t%.2f\t%s\n", name, m.Name, was.Score, best.Score, behind, unit, note, was.Seconds, strings.Join(best.Settings, " "))
			if err := out.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
