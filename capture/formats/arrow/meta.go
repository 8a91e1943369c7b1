package arrow

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"astrolabe/capture"
)

// Roles of columns, the value of the field metadata keyRole.
const (
	roleStart        = "start"
	roleEnd          = "end"
	roleCovered      = "covered"
	roleCount        = "count"
	roleCounter      = "counter"
	roleInstance     = "instance"
	roleLabel        = "label"
	rolePassStart    = "pass_start"
	rolePassDuration = "pass_duration"
)

// Keys of field metadata. Those that mean something to other programs have plain names.
const (
	keyRole     = "role"
	keyName     = "name"    // of the counter or label, which may differ from the column's where names clash
	keyCounter  = "counter" // the whole counter that an instance belongs to
	keyIndex    = "index"   // position in capture.Config.Counters, or among the instances
	keyPass     = "pass"    // position in the list of passes
	keyReasons  = "reasons"
	keyWarnings = "warnings"
)

// metaText and metaList are the parts of capture.Meta that are stored as they are, by key.
func metaText(m *capture.Meta) map[string]*string {
	return map[string]*string{
		"title": &m.Title, "unit": &m.Unit, "doc": &m.Doc, "gpu": &m.GPU, "block": &m.Block, "instance": &m.Instance,
		"device": &m.Device, "source": &m.Source, "expr": &m.Expr, "turn": &m.TurnOf,
	}
}

func metaList(m *capture.Meta) map[string]*[]string {
	return map[string]*[]string{"inputs": &m.Inputs, "refs": &m.Refs, "aliases": &m.Aliases}
}

// counterKeys describes c in text; what is empty or usual is left out.
func counterKeys(c *capture.Counter) (map[string]string, error) {
	m := c.Meta
	out := map[string]string{keyName: m.Name, "kind": m.Kind.String()}
	for k, v := range metaText(&m) {
		if *v != "" {
			out[k] = *v
		}
	}
	lists := metaList(&m)
	lists[keyWarnings] = &c.Warnings
	for k, v := range lists {
		if len(*v) == 0 {
			continue
		}
		text, err := toJSON(*v)
		if err != nil {
			return nil, err
		}
		out[k] = text
	}
	if m.Integral {
		out["integral"] = "true"
	}
	if m.Combine != capture.CombineSum {
		out["combine"] = m.Combine.String()
	}
	if len(c.Reasons) > 0 {
		docs := make([]runDoc, len(c.Reasons))
		for i, r := range c.Reasons {
			docs[i] = runDoc{r.From, r.To, reasonToDoc(r.Reason)}
		}
		text, err := toJSON(docs)
		if err != nil {
			return nil, err
		}
		out[keyReasons] = text
	}
	return out, nil
}

type runDoc struct {
	From int       `json:"from"`
	To   int       `json:"to"`
	Why  reasonDoc `json:"why"`
}

// counterFrom is the inverse of counterKeys. What it cannot read it leaves at its default and says so in a warning.
func counterFrom(keys map[string]string) (c *capture.Counter, warnings []string) {
	c = &capture.Counter{Meta: capture.Meta{Name: keys[keyName]}}
	m := &c.Meta
	warn := func(key string, err error) {
		warnings = append(warnings, fmt.Sprintf("counter %q: unreadable %s: %v", m.Name, key, err))
	}
	for k, v := range metaText(m) {
		*v = keys[k]
	}
	lists := metaList(m)
	lists[keyWarnings] = &c.Warnings
	for k, v := range lists {
		if text, ok := keys[k]; ok {
			if err := json.Unmarshal([]byte(text), v); err != nil {
				warn(k, err)
			}
		}
	}
	if text, ok := keys["kind"]; ok {
		if m.Kind, ok = capture.ParseKind(text); !ok {
			warn("kind", fmt.Errorf("%q is none of delta, gauge, constant, derived", text))
		}
	}
	m.Integral = keys["integral"] == "true"
	if text, ok := keys["combine"]; ok {
		if how, known := capture.ParseCombine(text); known {
			m.Combine = how
		} else {
			warn("combine", fmt.Errorf("%q is none of sum, mean, max", text))
		}
	}
	if text, ok := keys[keyReasons]; ok {
		var docs []runDoc
		if err := json.Unmarshal([]byte(text), &docs); err != nil {
			warn(keyReasons, err)
		}
		for _, d := range docs {
			c.Reasons = append(c.Reasons, capture.ReasonRun{From: d.From, To: d.To, Reason: d.Why.reason()})
		}
	}
	return c, warnings
}

// metadata makes field metadata of keys, in a fixed order so that equal captures give equal bytes.
func metadata(keys map[string]string) arrow.Metadata {
	names := make([]string, 0, len(keys))
	for k := range keys {
		names = append(names, k)
	}
	slices.Sort(names)
	texts := make([]string, len(names))
	for i, k := range names {
		texts[i] = validText(keys[k])
	}
	return arrow.NewMetadata(names, texts)
}

// keysOf is the inverse of metadata.
func keysOf(md arrow.Metadata) map[string]string {
	out := make(map[string]string, md.Len())
	for i, k := range md.Keys() {
		out[k] = md.Values()[i]
	}
	return out
}

// position reads a list position, -1 where the key is absent or no position in a list of n.
func position(keys map[string]string, key string, n int) int {
	i, err := strconv.Atoi(keys[key])
	if err != nil || i < 0 || i >= n {
		return -1
	}
	return i
}
