package job

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/store"
)

// OtherError is the error of Create in a folder with another job.
type OtherError struct {
	Path   string // of the file of that job
	ID     string // of that job
	Differ string // in what the two differ
}

// Error returns the file of the other job and in what the jobs differ.
func (e *OtherError) Error() string {
	return fmt.Sprintf("%s: it is of another job: %s", e.Path, e.Differ)
}

// differs says in what j differs from the job before, in words; empty: in nothing.
func (j *Job) differs(before *Job) string {
	now, then := fields(j.Spec), fields(before.Spec)
	names := maps.Clone(now)
	maps.Copy(names, then)
	var all []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if a, b := now[name], then[name]; a != b {
			all = append(all, fmt.Sprintf("%s is %s, and was %s", name, orNone(a), orNone(b)))
		}
	}
	if len(all) == 0 {
		all = append(all, itemsDiffer(j.Items, before.Items))
	}
	return strings.Join(all, "; ")
}

// fields returns the fields of a Spec as text, without those that are left out.
func fields(s Spec) map[string]string {
	text, err := json.Marshal(s)
	var raw map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(text, &raw)
	}
	if whole, is := raw["Whole"]; is && err == nil { // its fields stand for themselves
		delete(raw, "Whole")
		err = json.Unmarshal(whole, &raw)
	}
	if err != nil {
		panic("job: " + err.Error()) // a Spec is plain data
	}
	all := map[string]string{}
	for name, v := range raw {
		all[name] = string(v)
	}
	return all
}

func orNone(text string) string {
	if text == "" {
		return "not given"
	}
	return text
}

// itemsDiffer says in what files of the same Spec differ from those before.
func itemsDiffer(now, before []dataset.Item) string {
	for k := range min(len(now), len(before)) {
		switch a, b := now[k], before[k]; {
		case a.Path != b.Path:
			return fmt.Sprintf("%s is among the data where %s was", a.Path, b.Path)
		case a.Size != b.Size:
			return fmt.Sprintf("%s has %d bytes, and had %d", a.Path, a.Size, b.Size)
		}
	}
	if len(now) != len(before) {
		return fmt.Sprintf("the data are cut into %d items, and were into %d", len(now), len(before))
	}
	return "the lines of the data, or their beginning, differ"
}

// Unchanged returns an error that names a file of the data that was written after the job of the folder was begun. Then the
// states that are there may be of other rows. A machine that has the data as copies of its own may have newer ones that are the same.
func (w *Work) Unchanged() error {
	begun, err := store.Stat(store.Join(w.Dir, jobFile))
	if err != nil {
		return err
	}
	paths := []string{}
	if w.Job.Spec.TargetFile != "" {
		paths = append(paths, w.Job.Spec.TargetFile)
	}
	for _, it := range w.Job.Items {
		paths = append(paths, it.Path)
	}
	for _, path := range slices.Compact(paths) {
		info, err := store.Stat(path)
		if err != nil {
			return err
		}
		if info.ModTime().After(begun.ModTime()) {
			return fmt.Errorf("%s was written after the job in %s was begun: begin again in another folder", path, w.Dir)
		}
	}
	return nil
}

// Replace begins work on j in a folder in place of the job that is there, which has no features yet. Its states are not taken for
// those of j.
func Replace(dir string, j *Job) (*Work, error) {
	text, err := j.stored()
	if err != nil {
		return nil, err
	}
	return &Work{dir, j}, write(store.Join(dir, jobFile), text)
}
