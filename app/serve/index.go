package serve

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/pipeline"
)

//go:embed index.html
var indexText string

var indexPage = template.Must(template.New("index").Parse(indexText))

// mostAsked is the largest number of columns that the page asks for one by one.
const mostAsked = 300

// formColumn is a column that the page of GET / asks for.
type formColumn struct {
	Name    string
	Levels  []string // of a category
	Missing bool     // a cell may be missing
}

// index answers GET / with a page on which a person can try a row of the first model.
func (s *Server) index(w http.ResponseWriter, _ *http.Request) {
	m := s.first()
	page := struct {
		Title, About string
		Others       []string
		Columns      []formColumn
		Dim          int
		Wish         any
	}{Title: "gram: " + m.model.Method, About: m.about(), Dim: m.model.Dim}
	for _, o := range (*s.models.Load())[1:] {
		page.Others = append(page.Others, o.name)
	}
	for j := 0; j < m.model.Dim && m.model.Dim <= mostAsked; j++ {
		c := formColumn{Name: fmt.Sprintf("column %d", j+1)}
		if m.columns != nil {
			about := m.columns.schema.Columns[j]
			c.Missing, c.Levels = about.Missing, about.Levels
			if about.Name != "" {
				c.Name = about.Name
			}
		}
		page.Columns = append(page.Columns, c)
	}
	ask := map[string]any{}
	if m.model.Probabilities() != nil {
		ask["probabilities"] = true
	}
	if m.model.Check(pipeline.Want{Level: .9}) == nil {
		ask["interval"] = .9
	}
	if m.explainer != nil {
		ask["explain"] = true
	}
	page.Wish = map[string]any{"ask": ask, "classes": m.model.Names}
	var text bytes.Buffer
	if err := indexPage.Execute(&text, page); err != nil {
		s.fail(w, problemf(http.StatusInternalServerError, "%v", err))
		return
	}
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	s.send(w, http.StatusOK, []string{"text/html; charset=utf-8"}, text.Bytes())
}

// about says in a line what the model predicts.
func (m *served) about() string {
	what := fmt.Sprintf("It predicts values from %d columns", m.model.Dim)
	switch m.model.Model.(type) {
	case gram.Classifier:
		what = fmt.Sprintf("It predicts one of %d classes from %d columns", len(m.model.Names), m.model.Dim)
	case gram.Ranker:
		what = fmt.Sprintf("It orders %d labels by %d columns", m.labels(), m.model.Dim)
	}
	if m.columns.named() && m.model.Schema.Target != "" {
		what += ", learned from the column " + m.model.Schema.Target
	}
	if m.version != "" {
		what += "; version " + m.version
	}
	return what + "."
}
