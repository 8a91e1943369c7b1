package arrow

import (
	"bytes"
	"encoding/json"
	"fmt"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/lategap"
)

// keyNotes is the custom metadata of a record batch of a recording: what a recording learned besides samples.
const keyNotes = "astrolabe.notes"

// batchNotes is the JSON under keyNotes.
type batchNotes struct {
	Gaps     []gapDoc     `json:"gaps,omitempty"`
	Late     []gapDoc     `json:"late,omitempty"`
	Regions  []regionDoc  `json:"regions,omitempty"`
	Warnings []string     `json:"warnings,omitempty"`
	Reasons  []columnNote `json:"reasons,omitempty"`
	base     int          // row number of the batch's first row
}

// columnNote gives the reason of the missing values among rows [From, To) of the batch in one field of the schema.
type columnNote struct {
	Field int       `json:"field"`
	From  int       `json:"from"`
	To    int       `json:"to"`
	Why   reasonDoc `json:"why"`
}

type reasonDoc struct {
	Code string `json:"code"`
	Text string `json:"text,omitempty"`
}

type gapDoc struct {
	Start int64     `json:"start"`
	End   int64     `json:"end"`
	Lost  uint64    `json:"lost,omitempty"`
	Why   reasonDoc `json:"why"`
}

type regionDoc struct {
	Name  string `json:"name"`
	Start int64  `json:"start"`
	End   int64  `json:"end"`
	Depth int    `json:"depth,omitempty"`
	Track string `json:"track,omitempty"`
}

func reasonToDoc(r capture.Reason) reasonDoc { return reasonDoc{r.Code.String(), r.Text} }

func (d reasonDoc) reason() capture.Reason {
	return capture.Reason{Code: capture.ParseReasonCode(d.Code), Text: d.Text}
}

func gapsToDoc(gaps []capture.Gap) (out []gapDoc) {
	for _, g := range gaps {
		out = append(out, gapDoc{g.Start, g.End, g.Lost, reasonToDoc(g.Reason)})
	}
	return out
}

// addGaps adds gaps and late spans of a file to cfg.
func addGaps(cfg *capture.Config, gaps, late []gapDoc) {
	for _, d := range gaps {
		lategap.Add(cfg, d.gap())
	}
	for _, d := range late {
		cfg.Late = append(cfg.Late, d.gap())
	}
}

func (d *gapDoc) gap() capture.Gap {
	return capture.Gap{Start: d.Start, End: d.End, Lost: d.Lost, Reason: d.Why.reason()}
}

func regionsToDoc(regions []capture.Region) (out []regionDoc) {
	for _, r := range regions {
		out = append(out, regionDoc(r))
	}
	return out
}

func regionsFromDoc(docs []regionDoc) (out []capture.Region) {
	for _, d := range docs {
		out = append(out, capture.Region(d))
	}
	return out
}

// notesOf returns what b says besides samples, as the metadata of its record batch; it is empty where b says nothing.
// fields gives the field of each of the batch's columns.
func notesOf(b *capture.Batch, fields []int) (text string, err error) {
	if len(b.Gaps)+len(b.Late)+len(b.Regions)+len(b.Warnings)+len(b.Reasons) == 0 {
		return "", nil
	}
	n := batchNotes{Gaps: gapsToDoc(b.Gaps), Late: gapsToDoc(b.Late), Regions: regionsToDoc(b.Regions),
		Warnings: b.Warnings}
	for _, r := range b.Reasons {
		if r.Col < 0 || r.Col >= len(fields) || r.From < 0 || r.From > r.To || r.To > b.Len() {
			return "", fmt.Errorf(
				"reason for rows [%d, %d) of column %d is outside the batch of %d rows and %d columns", r.From, r.To,
				r.Col, b.Len(), len(fields))
		}
		n.Reasons = append(n.Reasons, columnNote{fields[r.Col], r.From, r.To, reasonToDoc(r.Reason)})
	}
	return toJSON(n)
}

// readNotes is the inverse of notesOf for a batch of that many rows and columns; base is the row number of its first
// row.
func readNotes(text string, base, rows, columns int) (*batchNotes, error) {
	n := &batchNotes{base: base}
	if err := json.Unmarshal([]byte(text), n); err != nil {
		return nil, fmt.Errorf("its notes: %w", err)
	}
	for _, r := range n.Reasons {
		if r.From < 0 || r.From > r.To || r.To > rows || r.Field < 0 || r.Field >= columns {
			return nil, fmt.Errorf("its notes name rows [%d, %d) of column %d, it has %d rows of %d columns", r.From,
				r.To, r.Field, rows, columns)
		}
	}
	return n, nil
}

// toJSON is json.Marshal for people: < and & stay as they are.
func toJSON(v any) (string, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return string(bytes.TrimSpace(buf.Bytes())), nil
}
