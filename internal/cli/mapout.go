package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"astrolabe/builtins/notation"
	"astrolabe/capture/formats"
	"astrolabe/internal/fleet"
)

// each hands on the outcomes in the order of the captures, one after the other from the store.
func (r *mapRun) each(f func(o *fleet.Outcome) error) error {
	for _, at := range r.at {
		o, err := r.store.Read(at)
		if err == nil {
			err = f(o)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stream writes the lines of --jsonl of all captures up to the first that is not done.
func (r *mapRun) stream() error {
	if r.lines == nil {
		return nil
	}
	for ; r.next < len(r.at) && r.at[r.next] != 0; r.next++ {
		o, err := r.store.Read(r.at[r.next])
		if err != nil {
			return err
		}
		if err := r.lines.Add(o); err != nil {
			return written(err)
		}
	}
	return nil
}

// write writes the result.
func (r *mapRun) write() error {
	switch f := r.flags; {
	case f.lines:
		return nil // as they came
	case f.output != "":
		return r.toFile(func(w io.Writer) error { return r.table(w, f.form) })
	case f.json:
		return written(r.json(r.app.out))
	case f.csv:
		return written(r.csv(r.app.out))
	}
	return r.text()
}

// toFile writes the file of -o.
func (r *mapRun) toFile(write func(w io.Writer) error) error {
	if r.flags.remote {
		return r.app.putFile(r.flags.output, write)
	}
	err := formats.WriteFile(r.flags.output, write)
	if err == nil {
		r.app.wrote(r.flags.output)
	}
	return err
}

// table writes the rows, and those of what failed.
func (r *mapRun) table(w io.Writer, form fleet.Form) error {
	t, err := fleet.NewTable(w, form, r.keys, &r.columns)
	if err != nil {
		return err
	}
	if err := r.each(t.Add); err != nil {
		return err
	}
	return t.Close()
}

// header lists the columns of rows alone: the capture, the labels of its folders, and what the rows have.
func (r *mapRun) header() (names []string, index map[string]int) {
	names = append([]string{fleet.CaptureColumn}, r.keys...)
	for _, c := range r.columns.List() {
		names = append(names, c.Name)
	}
	index = map[string]int{}
	for i, name := range names {
		index[name] = i
	}
	return names, index
}

// rows hands on the cells of each row by column, which are empty where the row has none.
func (r *mapRun) rows(width int, index map[string]int, f func(cells []fleet.Cell) error) error {
	return r.each(func(o *fleet.Outcome) error {
		labels := fleet.Labels(o.Capture)
		for _, row := range o.Rows {
			cells := make([]fleet.Cell, width)
			cells[0] = fleet.Cell{Key: fleet.CaptureColumn, Kind: fleet.Text, Text: o.Capture}
			for _, l := range labels {
				if !l.None {
					cells[index[l.Key]] = fleet.Cell{Key: l.Key, Kind: fleet.Text, Text: l.Value}
				}
			}
			for _, c := range row {
				cells[index[c.Key]] = c
			}
			if err := f(cells); err != nil {
				return err
			}
		}
		return nil
	})
}

func (r *mapRun) csv(w io.Writer) error {
	names, index := r.header()
	out := csv.NewWriter(w)
	line := make([]string, len(names))
	for i, name := range names {
		line[i] = formats.MarkText(name)
	}
	if err := out.Write(line); err != nil {
		return err
	}
	if err := r.rows(len(names), index, func(cells []fleet.Cell) error {
		for i, c := range cells {
			line[i] = c.CSV()
		}
		return out.Write(line)
	}); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// text writes the rows as a table for people.
func (r *mapRun) text() error {
	names, index := r.header()
	table := notation.TextTable{Header: names, Right: make([]bool, len(names))}
	for i := range names {
		table.Right[i] = i > len(r.keys)
	}
	if err := r.rows(len(names), index, func(cells []fleet.Cell) error {
		line := make([]string, len(cells))
		for i, c := range cells {
			line[i] = strings.Join(strings.FieldsFunc(c.Text, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
			table.Right[i] = table.Right[i] && (c.Number() || c.Text == "")
		}
		table.Add(line...)
		return nil
	}); err != nil || len(table.Rows) == 0 {
		return err
	}
	return r.app.print(table.String())
}

// json writes one document, of which it holds one capture at a time.
func (r *mapRun) json(w io.Writer) error {
	name, err := json.Marshal(r.script)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "{\n  \"version\": 1,\n  \"script\": %s,\n  \"failed\": %d,\n  \"results\": [", name,
		r.failed); err != nil {
		return err
	}
	before, end := "\n    ", "]\n}\n"
	err = r.each(func(o *fleet.Outcome) error {
		text, err := mapResult(o)
		if err != nil {
			return err
		}
		_, err = io.WriteString(w, before+text)
		before, end = ",\n    ", "\n  ]\n}\n"
		return err
	})
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, end)
	return err
}

// mapResult is the entry of a capture in the document of --json.
func mapResult(o *fleet.Outcome) (string, error) {
	result := struct {
		Capture string            `json:"capture"`
		Labels  map[string]string `json:"labels,omitempty"`
		Rows    []json.RawMessage `json:"rows"`
		Status  fleet.Status      `json:"status,omitempty"`
		Error   string            `json:"error,omitempty"`
	}{Capture: o.Capture, Rows: []json.RawMessage{}, Error: o.Error}
	for _, l := range fleet.Labels(o.Capture) {
		if result.Labels == nil {
			result.Labels = map[string]string{}
		}
		if !l.None {
			result.Labels[l.Key] = l.Value
		}
	}
	for _, row := range o.Rows {
		result.Rows = append(result.Rows, row.JSON())
	}
	if o.Status != fleet.OK {
		result.Status = o.Status
		result.Error = o.Capture + ": " + o.Error
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("    ", "  ")
	err := enc.Encode(result)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// mapProgress shows how many captures are done, how fast and how long the others will take.
type mapProgress struct {
	bar                 progressBar
	total               int
	done, failed, known int
	begun               time.Time
}

func newMapProgress(a *app, total int) *mapProgress {
	return &mapProgress{bar: progressBar{w: a.talk.file, live: isTerminal(a.talk.file) && !a.quiet}, total: total,
		begun: time.Now()}
}

// none reports whether nothing was done.
func (m *mapProgress) none() bool { return m == nil || m.done == 0 }

func (m *mapProgress) update(failed, known bool) {
	m.bar.mu.Lock()
	defer m.bar.mu.Unlock()
	m.done++
	if failed {
		m.failed++
	}
	if known {
		m.known++
	}
	if m.bar.live {
		m.bar.line(m.text(time.Since(m.begun)))
	}
}

func (m *mapProgress) text(elapsed time.Duration) string {
	full := progressCells * m.done / m.total
	text := fmt.Sprintf("map [%s%s] %d of %d", strings.Repeat("#", full), strings.Repeat(".", progressCells-full),
		m.done, m.total)
	if m.failed > 0 {
		text += fmt.Sprintf(", %d failed", m.failed)
	}
	if m.known > 0 {
		text += fmt.Sprintf(", %d known", m.known)
	}
	// What was known says nothing of how long the others take.
	if worked := m.done - m.known; worked > 0 && elapsed >= progressDelay {
		rate := float64(worked) / elapsed.Seconds()
		text += fmt.Sprintf(", %s/s", threeDigits(rate))
		if m.done < m.total {
			text += ", " + leftText(float64(m.total-m.done)/rate) + " left"
		}
	}
	return text
}

// say lets what stands in lines of its own be written, between two states of the bar.
func (m *mapProgress) say(write func()) {
	m.bar.mu.Lock()
	defer m.bar.mu.Unlock()
	m.bar.erase()
	write()
}

func (m *mapProgress) clear() { m.bar.done() }
