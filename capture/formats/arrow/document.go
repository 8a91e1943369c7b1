package arrow

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"astrolabe/capture"
)

// Keys of the schema metadata.
const (
	keyLayout  = "astrolabe.layout"
	keyCapture = "astrolabe.capture"

	layoutVersion = 1
)

// captureDoc is the JSON under keyCapture: what of capture.Config is no column and belongs to no column.
type captureDoc struct {
	Name       string         `json:"name,omitempty"`
	GPU        string         `json:"gpu,omitempty"`
	Device     *deviceDoc     `json:"device,omitempty"`
	Properties []propertyDoc  `json:"properties,omitempty"`
	Start      *time.Time     `json:"start,omitempty"`
	Clock      string         `json:"clock,omitempty"`
	Options    *optionsDoc    `json:"options,omitempty"`
	Passes     []passDoc      `json:"passes,omitempty"`
	Columnless []indexedEntry `json:"counters_without_column,omitempty"`
	Regions    []regionDoc    `json:"regions,omitempty"`
	Gaps       []gapDoc       `json:"gaps,omitempty"`
	Late       []gapDoc       `json:"late,omitempty"`
	Warnings   []string       `json:"warnings,omitempty"`
}

type deviceDoc struct {
	Name   string            `json:"name,omitempty"`
	Vendor string            `json:"vendor,omitempty"`
	Driver string            `json:"driver,omitempty"`
	ID     string            `json:"id,omitempty"`
	Extra  map[string]string `json:"extra,omitempty"`
}

type optionsDoc struct {
	Denom    string `json:"denom,omitempty"`
	Duration string `json:"duration,omitempty"`
	Zero     string `json:"zero,omitempty"`
}

// propertyDoc has a number as text, because JSON has no NaN and no infinity.
type propertyDoc struct {
	Name   string  `json:"name"`
	Number string  `json:"number,omitempty"`
	Text   *string `json:"text,omitempty"`
}

// passDoc is a pass. One that only a counter refers to is not in capture.Config.Passes.
type passDoc struct {
	ID       string `json:"id"`
	Unlisted bool   `json:"unlisted,omitempty"`
}

// indexedEntry is a whole counter that has no column: one that is made of its instances, or was not collected.
type indexedEntry struct {
	Index int               `json:"index"`
	Keys  map[string]string `json:"keys"`
}

// docOf fills in everything that comes straight from cfg: not the passes, not the counters.
func docOf(cfg *capture.Config) *captureDoc {
	d := &captureDoc{
		Name: cfg.Name, GPU: cfg.GPU, Regions: regionsToDoc(cfg.Regions), Gaps: gapsToDoc(cfg.Gaps),
		Late: gapsToDoc(cfg.Late), Warnings: cfg.Warnings,
	}
	if cfg.Axis != nil {
		d.Clock = cfg.Axis.Clock
	}
	if dev := deviceDoc(cfg.Device); dev.Name != "" || dev.Vendor != "" || dev.Driver != "" || dev.ID != "" ||
		dev.Extra != nil {
		d.Device = &dev
	}
	if o := optionsDoc(cfg.Options); o != (optionsDoc{}) {
		d.Options = &o
	}
	if !cfg.StartTime.IsZero() {
		t := cfg.StartTime
		d.Start = &t
	}
	for _, p := range cfg.Properties {
		doc := propertyDoc{Name: p.Name}
		if p.IsText {
			doc.Text = &p.Text
		} else {
			doc.Number = strconv.FormatFloat(p.Number, 'g', -1, 64)
		}
		d.Properties = append(d.Properties, doc)
	}
	return d
}

// apply is the inverse of docOf.
func (d *captureDoc) apply(cfg *capture.Config) error {
	cfg.Name, cfg.GPU, cfg.Warnings = d.Name, d.GPU, d.Warnings
	cfg.Axis.Clock = d.Clock
	cfg.Regions = regionsFromDoc(d.Regions)
	addGaps(cfg, d.Gaps, d.Late)
	if d.Device != nil {
		cfg.Device = capture.Device(*d.Device)
	}
	if d.Options != nil {
		cfg.Options = capture.Options(*d.Options)
	}
	if d.Start != nil {
		cfg.StartTime = *d.Start
	}
	for _, p := range d.Properties {
		prop := capture.Property{Name: p.Name}
		if p.Text != nil {
			prop.Text, prop.IsText = *p.Text, true
		} else {
			f, err := strconv.ParseFloat(p.Number, 64)
			if err != nil {
				return fmt.Errorf("property %q: %q is not a number", p.Name, p.Number)
			}
			prop.Number = f
		}
		cfg.Properties = append(cfg.Properties, prop)
	}
	return nil
}

// readDoc reads the document of a file of this package. layout is the value of keyLayout.
func readDoc(layout, text string) (*captureDoc, error) {
	v, err := strconv.Atoi(layout)
	switch {
	case err != nil || v < 1:
		return nil, fmt.Errorf("damaged: %s is %q, not a version number", keyLayout, layout)
	case v > layoutVersion:
		return nil, fmt.Errorf(
			"it was written by a newer astrolabe (layout %d, this one reads up to %d): open it with that version",
			v, layoutVersion)
	}
	d := &captureDoc{}
	if err := json.Unmarshal([]byte(text), d); err != nil {
		return nil, fmt.Errorf("damaged: %s: %w", keyCapture, err)
	}
	return d, nil
}
