package record

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/papers"
	"github.com/gramworks/gram/app/papers/protocol"
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/modelfile"
)

// resultsDir is the folder of the stored results in a checkout.
const resultsDir = "app/papers/results"

// written are the folders of a checkout that programs write to.
var written = []string{resultsDir + "/", "app/figures/results/", "docs/"}

// Root is the checkout of the project that the working directory is in.
func Root() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if info, e := os.Stat(filepath.Join(dir, resultsDir)); e == nil && info.IsDir() {
			return dir, nil
		}
		if up := filepath.Dir(dir); up == dir {
			err = errors.New("stored results are those of a checkout of the project: call this in one")
		} else {
			dir = up
		}
	}
	return "", err
}

// git returns what git prints, line by line.
func git(root string, args ...string) ([]string, error) {
	c := exec.Command("git", args...)
	c.Dir = root
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w %s", strings.Join(args, " "), err, strings.TrimSpace(said.String()))
	}
	return strings.FieldsFunc(string(out), func(c rune) bool { return c == '\n' }), nil
}

// Recorder stores a run of a table in the checkout root, with the hash of the sources that the table reaches.
type Recorder struct{ root, table, sum string }

// Unchanged is an error unless the checkout is of the revision that a program is of, with no
// change but to stored results and pages.
func Unchanged(root, revision string) error {
	if revision == "" || strings.Contains(revision, "+") {
		return fmt.Errorf("this program is of revision %q: build one from a clean checkout with go build -buildvcs=true", revision)
	}
	changed, err := git(root, "diff", "--name-only", revision)
	if err != nil {
		return err
	}
	added, err := git(root, "ls-files", "--others", "--exclude-standard")
	if err != nil {
		return err
	}
	for _, name := range slices.Concat(changed, added) {
		if !slices.ContainsFunc(written, func(folder string) bool { return strings.HasPrefix(name, folder) }) {
			return fmt.Errorf("%s is not as in revision %s, of which this program is", name, revision)
		}
	}
	return nil
}

// NewRecorder refuses to store what a program of that revision gives unless the checkout
// is unchanged.
func NewRecorder(root, revision, table string) (*Recorder, error) {
	if err := Unchanged(root, revision); err != nil {
		return nil, err
	}
	s, err := ReadSources(root)
	if err != nil {
		return nil, err
	}
	sum, err := s.Hash(table)
	return &Recorder{root, table, sum}, err
}

// computed says that a row has a figure of ours.
func computed(r papers.Row) bool { return r.Got != nil }

// Record stores the run among the results of its table.
func (r *Recorder) Record(run papers.Stored) error {
	if !slices.ContainsFunc(run.Rows, computed) {
		return fmt.Errorf("table %s: no row has a figure to store", r.table)
	}
	run.Sources = r.sum
	path := filepath.Join(r.root, resultsDir, r.table+".json")
	results := papers.Results{Table: r.table}
	b, err := os.ReadFile(path)
	if err == nil {
		results, err = papers.ReadResults(b)
	} else if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return err
	}
	put(&results, run)
	return modelfile.WriteFile(path, results.Write)
}

// settingsOf are the settings that say how rows come about.
func settingsOf(s papers.Stored) map[string]string {
	out := maps.Clone(s.Settings)
	maps.DeleteFunc(out, func(k, _ string) bool { return slices.Contains(papers.Selecting, k) })
	return out
}

// place is what tells the rows of a table with the same settings apart. The time that a row took is no part of that,
// though some figures have it on their horizontal axis.
func place(r papers.Row) any {
	r = protocol.Rounded(r)
	if r.X == r.Seconds {
		r.X = 0
	}
	return [5]any{r.Dataset, r.Method, r.Metric, r.Series, r.X}
}

// put adds a run. It replaces an earlier run of the same command, of which rows may have
// names that depend on time. Rows that it has replace those of earlier runs with the same
// settings, and of runs of which not all is known.
func put(r *papers.Results, run papers.Stored) {
	fresh := map[any]bool{}
	for _, row := range run.Rows {
		fresh[place(row)] = true
	}
	at := len(r.Runs)
	for i := range r.Runs {
		old := &r.Runs[i]
		if len(settingsOf(*old)) != len(settingsOf(run)) || !maps.Equal(settingsOf(*old), settingsOf(run)) || old.Quick != run.Quick && old.Revision != "" {
			continue
		}
		again := old.Quick == run.Quick && len(old.Settings) == len(run.Settings) && maps.Equal(old.Settings, run.Settings)
		rows := slices.DeleteFunc(slices.Clone(old.Rows), func(row papers.Row) bool { return again || fresh[place(row)] })
		if len(rows) < len(old.Rows) {
			at = min(at, i)
		}
		old.Rows = rows
	}
	r.Runs = slices.Insert(r.Runs, at, run)
	r.Runs = slices.DeleteFunc(r.Runs, func(s papers.Stored) bool { return !slices.ContainsFunc(s.Rows, computed) })
	r.Reason = ""
}

// How the code of a stored run compares with the code at hand.
const (
	current    = "of the present code"
	equal      = "of code before changes that move no figure (" + equalFile + ")"
	old        = "older than its code"
	strange    = "of a revision that is not in the history"
	unrecorded = "not recorded"
)

// inHistory says that HEAD descends from the revision, as far as the clone knows.
func inHistory(root, revision string) bool {
	if _, err := git(root, "merge-base", "--is-ancestor", revision, "HEAD"); err == nil {
		return true
	}
	shallow, err := git(root, "rev-parse", "--is-shallow-repository")
	return err != nil || len(shallow) > 0 && shallow[0] == "true"
}

// equalFile lists tables with the hashes of their code before and after changes that move no figure.
const equalFile = "app/papers/record/equal.tsv"

// readEqual returns, for each table and hash of its code, the hash after a change that moves no figure.
func readEqual(root string) (map[[2]string]string, error) {
	text, err := os.ReadFile(filepath.Join(root, equalFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	after := map[[2]string]string{}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 3 || after[[2]string(fields[:2])] != "" {
			return nil, fmt.Errorf("%s, line %d: want a table, the hash before and the one after, once", equalFile, number)
		}
		after[[2]string(fields[:2])] = fields[2]
	}
	return after, err
}

// compare says how a run of a table, whose code had the hash was, compares with code of the hash is.
func compare(after map[[2]string]string, table, was, is string) string {
	state := current
	for range len(after) + 1 {
		if was == is {
			return state
		}
		was, state = after[[2]string{table, was}], equal
	}
	return old
}

// Check says which stored runs were not recorded, and which are of other code than that
// of the checkout. It runs n rows of the others again, on the data of env and drawn with
// its seed, and returns an error if one is not the stored one in five digits. Rows are computed at the level of their run. On a machine that
// does not have it they have other roundings and may be elsewhere by their deviation, or by 1 % if
// they have none, and a line says so. Rows of runs that took
// more than most seconds are left out.
func Check(ctx context.Context, w io.Writer, root string, env papers.Env, level string, n int, most float64) error {
	sources, err := ReadSources(root)
	if err != nil {
		return err
	}
	after, err := readEqual(root)
	if err != nil {
		return err
	}
	count := map[string]int{}
	var unknown []string // tables with runs that were not recorded
	var pieces []piece
	for _, t := range papers.All() {
		results, _, err := t.Stored()
		if err != nil {
			return err
		}
		sum, err := sources.Hash(t.ID)
		if err != nil {
			return err
		}
		for _, run := range results.Runs {
			state := current
			switch {
			case run.Sources == "":
				state = unrecorded
			case !inHistory(root, run.Revision):
				state = strange
			default:
				state = compare(after, t.ID, run.Sources, sum)
			}
			if state == current || state == equal {
				pieces = append(pieces, piecesOf(t, run, most)...)
			}
			count[state]++
			switch state {
			case old, strange:
				fmt.Fprintf(w, "%s: %s\n", state, run.Source(t.ID))
			case unrecorded:
				if !slices.Contains(unknown, t.ID) {
					unknown = append(unknown, t.ID)
				}
			}
		}
	}
	if len(unknown) > 0 {
		fmt.Fprintf(w, "%s: runs of %s\n", unrecorded, strings.Join(unknown, ", "))
	}
	for _, state := range []string{current, equal, old, strange, unrecorded} {
		fmt.Fprintf(w, "%4d stored runs: %s\n", count[state], state)
	}
	draw := rand.New(rand.NewPCG(env.Seed, 0))
	draw.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
	var wrong []error
	for _, p := range pieces[:min(n, len(pieces))] {
		wrong = append(wrong, p.again(ctx, w, env, level, p.rows[draw.IntN(len(p.rows))]))
	}
	return errors.Join(wrong...)
}

// piece are the rows of a stored run that come about together.
type piece struct {
	table   papers.Table
	run     papers.Stored
	dataset string
	rows    []papers.Row // measures of quality among them
}

// piecesOf cuts a run into its data sets and returns those that took at most that many seconds.
func piecesOf(t papers.Table, s papers.Stored, most float64) (out []piece) {
	var took []float64
	for _, row := range s.Rows {
		set, _, _ := strings.Cut(row.Dataset, ", ")
		i := slices.IndexFunc(out, func(p piece) bool { return p.dataset == set })
		if i < 0 {
			out, took, i = append(out, piece{table: t, run: s, dataset: set}), append(took, 0), len(out)
		}
		took[i] += row.Seconds * float64(max(1, row.Repeats))
		if row.Got != nil && papers.Quality(row.Metric) != 0 {
			out[i].rows = append(out[i].rows, row)
		}
	}
	i := -1
	return slices.DeleteFunc(out, func(p piece) bool { i++; return took[i] > most || len(p.rows) == 0 })
}

// again runs the piece again, at its level if the machine has it, and compares a row.
func (p piece) again(ctx context.Context, w io.Writer, env papers.Env, level string, row papers.Row) error {
	env.Repeats, env.Quick, env.Seed = 0, p.run.Quick, *p.run.Seed
	if p.run.Repeats > 0 {
		env.Repeats = p.run.Repeats
	}
	if l, err := cpu.ParseLevel(p.run.Level); err == nil {
		if restore, err := cpu.Lower(l); err == nil {
			defer restore()
			level = p.run.Level
		}
	}
	env.Set = maps.Clone(p.run.Settings)
	if env.Set == nil {
		env.Set = map[string]string{}
	}
	var found *papers.Row
	keep := func(r papers.Row) {
		if place(r) == place(row) {
			found = &r
		}
	}
	// What the table calls the set alone, if it has names for sets: some names have a comma.
	short, _, _ := strings.Cut(p.dataset, " (")
	var err error
	for _, only := range []string{row.Dataset, p.dataset, short, ""} {
		if env.Set["only"] = only; only == "" {
			delete(env.Set, "only")
			if was, is := p.run.Settings["only"]; is {
				env.Set["only"] = was
			}
		}
		err = p.table.Run(ctx, env, keep)
		if wrong := (*gram.ConfigError)(nil); !errors.As(err, &wrong) || !strings.HasPrefix(wrong.Field, "--set") {
			break
		}
	}
	name := fmt.Sprintf("%s, %s, %s, %s", p.table.ID, row.Dataset, row.Method, row.Metric)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	case found == nil:
		return fmt.Errorf("%s: there is no such row any more", name)
	case found.Got == nil:
		fmt.Fprintf(w, "%s: %s\n", name, cmp.Or(found.Note, "no figure"))
		return nil
	}
	now := protocol.Rounded(*found)
	said := fmt.Sprintf("%s: stored %s, now %s", name, meanOf(row), meanOf(now))
	if reflect.DeepEqual(now.Got, row.Got) && reflect.DeepEqual(now.Std, row.Std) {
		fmt.Fprintf(w, "%s: the same\n", said)
		return nil
	}
	room := .01 * math.Abs(*row.Got)
	if row.Std != nil {
		room = *row.Std
	}
	if level != p.run.Level && math.Abs(*now.Got-*row.Got) <= room {
		fmt.Fprintf(w, "%s: not the same, at level %s instead of %s\n", said, level, p.run.Level)
		return nil
	}
	return errors.New(said)
}

// meanOf is the figure of a row with its deviation.
func meanOf(r papers.Row) string {
	s := fmt.Sprintf("%.5g", *r.Got)
	if r.Std != nil {
		s += fmt.Sprintf(" ± %.5g", *r.Std)
	}
	return s
}
