package job

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/store"
)

// predictPass names the predictions among the passes of a Status, and roundsPass the rounds of boosted trees, whose pieces
// are the rounds.
const predictPass, roundsPass = "predict", "rounds"

// Status says how far the work in a folder has come.
type Status struct {
	Data   string     `json:"data"`
	Method string     `json:"method"`
	Items  int        `json:"items"`
	Passes []Progress `json:"passes"` // those that are known, in their order
	Ended  bool       `json:"ended"`  // no pass of the fit is missing
	Reads  int        `json:"-"`      // passes of the fit that read the data
	Last   time.Time  `json:"last"`   // when the last file of the job was written
}

// Progress says how far a pass has come.
type Progress struct {
	Pass     string    `json:"pass"`
	Pieces   int       `json:"pieces"`
	Done     int       `json:"done"`
	Failed   int       `json:"failed"`  // pieces that are not done, and ended with an error the last time
	Missing  int       `json:"missing"` // pieces that are neither done nor failed: not begun, at work, or killed
	Failures []Failure `json:"failures,omitempty"`

	// Left are the seconds until the pieces that are not done are: as many times the mean time between two of those that
	// are. It is 0 if all are done, and −1 if that is not known.
	Left float64 `json:"seconds_left"`
}

// Failure is the error with which a piece ended the last time.
type Failure struct {
	Piece int    `json:"piece"`
	Error string `json:"error"`
}

// failureFile is the file with the error of a piece that has failed.
func (w *Work) failureFile(pass string, k int) string {
	return store.Join(w.Dir, fmt.Sprintf("%s-%06d.failed", pass, k))
}

// note keeps the error of a piece for Status, or removes it if there is none. The work does not depend on it: an error of
// writing it is none.
func (w *Work) note(pass string, k int, err error) {
	name := w.failureFile(pass, k)
	if err == nil {
		_ = store.Remove(name)
		return
	}
	_ = modelfile.WriteFile(name, func(to io.Writer) error {
		_, err := fmt.Fprintln(to, err)
		return err
	})
}

// listed is a pass with the files of its pieces.
type listed struct {
	name   string
	pieces int
	file   func(k int) string
	after  string // a file that is written when the pass may begin; empty: none
}

// Status returns how far the work has come, by the files that are in the folder. It reads no states of
// items, so that a damaged one counts as done, and writes nothing.
func (w *Work) Status() (*Status, error) {
	passes, ended, err := w.listed()
	if err != nil {
		return nil, err
	}
	s := &Status{Data: w.Job.Spec.Data, Method: w.Job.Spec.Method, Items: len(w.Job.Items), Ended: ended}
	info, err := store.Stat(store.Join(w.Dir, jobFile))
	if err != nil {
		return nil, err
	}
	s.Last = info.ModTime()
	begin := s.Last
	for _, l := range passes {
		if info, err := store.Stat(l.after); err == nil && info.ModTime().After(begin) {
			begin = info.ModTime()
		}
		p, last, err := w.progress(l, begin)
		if err != nil {
			return nil, err
		}
		s.Passes = append(s.Passes, p)
		if last.After(s.Last) {
			s.Last = last
		}
		if l.name == predictPass || isEval(l.name) { // which are made after the fit, in any order
			continue
		}
		if l.name != fitPass && l.name != roundsPass && !strings.HasPrefix(l.name, treesPass) {
			s.Reads++
		}
		s.Ended = s.Ended && p.Done == p.Pieces
		begin = last
	}
	return s, nil
}

// progress returns how far a pass has come that began at a time, and when its last piece was done.
func (w *Work) progress(l listed, begin time.Time) (Progress, time.Time, error) {
	p := Progress{Pass: l.name, Pieces: l.pieces, Left: -1}
	last := begin
	for k := range l.pieces {
		info, err := store.Stat(l.file(k))
		if err == nil {
			p.Done++
			if info.ModTime().After(last) {
				last = info.ModTime()
			}
			continue
		}
		text, failed := store.ReadFile(w.failureFile(l.name, k))
		switch {
		case !errors.Is(err, fs.ErrNotExist):
			return p, last, err
		case failed == nil:
			p.Failed++
			p.Failures = append(p.Failures, Failure{k, string(text[:max(0, len(text)-1)])})
		default:
			p.Missing++
		}
	}
	left := p.Pieces - p.Done
	switch {
	case left == 0:
		p.Left = 0
	case last.After(begin):
		p.Left = last.Sub(begin).Seconds() * float64(left) / float64(p.Done)
	}
	return p, last, nil
}

// listed returns the passes that are known in their order, and whether the fit has no others.
func (w *Work) listed() (passes []listed, ended bool, err error) {
	begun, err := w.unasked()
	if err != nil {
		return nil, false, err
	}
	add := func(name, after string) {
		passes = append(passes, listed{name, len(w.Job.Items), func(k int) string { return w.path(Pass{Name: name}, node{0, k}) }, after})
	}
	if w.Job.Spec.Whole != nil {
		passes, ended, err = w.listWhole()
		return append(passes, w.after(begun)...), ended, err
	}
	if w.Job.Spec.Table != nil {
		add(surveyPass, "")
		if slices.Contains(begun, meansPass) {
			add(meansPass, "")
		}
	}
	add(scanPass, "")
	f, err := w.features()
	if err != nil {
		return nil, false, err
	}
	features := store.Join(w.Dir, featuresFile)
	switch {
	case f == nil:
	case w.Job.Spec.Cap > 0:
		add(assignPass, features)
		passes = append(passes, listed{fitPass, f.Parts, w.partFile, ""})
		ended = true
	case f.Bins != nil:
		add(binsPass, features)
		more, done, err := w.listTrees(f)
		if err != nil {
			return nil, false, err
		}
		passes, ended = append(passes, more...), done
	case f.Passes != nil:
		more, done, err := w.listProducts()
		if err != nil {
			return nil, false, err
		}
		passes, ended = append(passes, more...), done
	case f.Info.Task == dataset.Regression:
		add(normalPass, features)
		ended = true
	default:
		for step := 0; !ended; step++ {
			t, err := w.stored(step)
			if err != nil {
				return nil, false, err
			}
			if t == nil && step > 0 {
				break
			}
			if ended = t != nil && t.Done(); !ended {
				add(newtonName(step), w.path(Pass{Name: searchPass}, node{0, step}))
			}
		}
	}
	return append(passes, w.after(begun)...), ended, nil
}

// after returns those of the passes that are begun which are made after the fit.
func (w *Work) after(present []string) (passes []listed) {
	for _, name := range present {
		switch {
		case isEval(name):
			passes = append(passes, listed{name, len(w.Job.Items), func(k int) string { return w.path(Pass{Name: name}, node{0, k}) }, ""})
		case name == predictPass:
			passes = append(passes, listed{name, len(w.Job.Items), w.predictions, ""})
		}
	}
	return passes
}

// listTrees returns the rounds of trees, and the pass of the round in hand.
func (w *Work) listTrees(f *Features) (passes []listed, ended bool, err error) {
	fitter, err := f.onDisk()
	if err != nil {
		return nil, false, err
	}
	rounds, err := strconv.Atoi(fitter.Settings().Lookup("rounds").String())
	if err != nil {
		return nil, false, err
	}
	at := func(name string, k int) string { return w.path(Pass{Name: name}, node{0, k}) }
	made, ask, err := w.made()
	if err != nil {
		return nil, false, err
	}
	passes = []listed{{roundsPass, rounds, func(k int) string { return at(roundPass, k) }, at(startPass, 0)}}
	if round, number := ask/askNumber(1, 0), ask%askNumber(1, 0); ask >= 0 && round >= made && made < rounds {
		name := treesName(round, number)
		passes = append(passes, listed{name, len(w.Job.Items), func(k int) string { return at(name, k) }, at(askPass, ask)})
	}
	return passes, made >= rounds, nil
}

// begunFile matches the files of passes of which Status knows by their files alone.
var begunFile = regexp.MustCompile(`^(means|eval-[0-9a-f]{16})-0-\d{6}\.state$|^(means|eval-[0-9a-f]{16}|predict)-\d{6}\.failed$|^(predict)ions-\d{6}\.txt$`)

// unasked returns the names of the passes of which the folder has files, and which not every job has.
func (w *Work) unasked() ([]string, error) {
	entries, err := w.files()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, name := range entries {
		if m := begunFile.FindStringSubmatch(name); m != nil {
			names = append(names, m[1]+m[2]+m[3])
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// files returns the names of the files in the folder.
func (w *Work) files() (names []string, err error) {
	if store.Remote(w.Dir) {
		paths, err := store.Glob(store.Join(w.Dir, "*"))
		for _, p := range paths {
			names = append(names, path.Base(p))
		}
		return names, err
	}
	entries, err := os.ReadDir(w.Dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

func isEval(pass string) bool { return strings.HasPrefix(pass, evalPass+"-") }
