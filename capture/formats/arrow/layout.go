package arrow

import (
	"fmt"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"astrolabe/capture"
)

// layout is the plan of a file: its schema, and what each field holds.
type layout struct {
	schema *arrow.Schema
	fields []planned
}

// planned is one field. Exactly one of the pointers is set, none for the time axis.
type planned struct {
	role    string
	counter *capture.Counter
	column  *capture.Column // of a pass
	label   *capture.Label
	integer bool // uint64 or int64, else float64
}

// shape says what a counter's own column holds; has is false where it has none.
type shape func(c *capture.Counter) (integer, has bool)

var (
	int64Type   = arrow.PrimitiveTypes.Int64
	uint64Type  = arrow.PrimitiveTypes.Uint64
	float64Type = arrow.PrimitiveTypes.Float64
	textType    = arrow.BinaryTypes.String
	labelType   = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
)

// planner collects the fields of a layout.
type planner struct {
	layout
	doc    *captureDoc
	arrow  []arrow.Field
	names  map[string]bool
	passes map[*capture.Pass]int
	shape  shape
}

// plan lays out cfg, with labels of that type. Names of columns must be unique for other programs, so one that clashes
// gets a number; the real one is in its metadata.
func plan(cfg *capture.Config, labels arrow.DataType, s shape) (*layout, error) {
	p := &planner{doc: docOf(cfg), names: map[string]bool{}, passes: map[*capture.Pass]int{}, shape: s}
	p.axis(cfg.Axis)
	for _, pass := range cfg.Passes {
		p.pass(pass, false)
	}
	for i, c := range cfg.Counters {
		if err := p.counter(c, i); err != nil {
			return nil, err
		}
	}
	for _, l := range cfg.Labels {
		p.add(planned{role: roleLabel, label: l, integer: true}, l.Name, labels, true,
			map[string]string{keyName: l.Name})
	}
	text, err := toJSON(p.doc)
	if err != nil {
		return nil, fmt.Errorf("describe the capture: %w", err)
	}
	md := metadata(map[string]string{keyLayout: strconv.Itoa(layoutVersion), keyCapture: text})
	p.schema = arrow.NewSchema(p.arrow, &md)
	return &p.layout, nil
}

func (p *planner) add(f planned, name string, t arrow.DataType, nullable bool, keys map[string]string) {
	name = validText(name)
	unique := name
	for i := 2; p.names[unique]; i++ {
		unique = fmt.Sprintf("%s_%d", name, i)
	}
	p.names[unique] = true
	keys[keyRole] = f.role
	p.arrow = append(p.arrow, arrow.Field{Name: unique, Type: t, Nullable: nullable, Metadata: metadata(keys)})
	p.fields = append(p.fields, f)
}

func (p *planner) axis(a *capture.Axis) {
	ns := func() map[string]string { return map[string]string{"unit": "ns"} }
	p.add(planned{role: roleStart, integer: true}, "start", int64Type, false, ns())
	p.add(planned{role: roleEnd, integer: true}, "end", int64Type, false, ns())
	if a.Covered != nil {
		p.add(planned{role: roleCovered, integer: true}, "covered", int64Type, false, ns())
	}
	if a.Count != nil {
		p.add(planned{role: roleCount}, "count", float64Type, false, map[string]string{})
	}
}

// pass returns the position of a pass in the document, and lays out its columns when it is new.
func (p *planner) pass(pass *capture.Pass, unlisted bool) int {
	if i, ok := p.passes[pass]; ok {
		return i
	}
	i := len(p.doc.Passes)
	p.passes[pass] = i
	p.doc.Passes = append(p.doc.Passes, passDoc{ID: pass.ID, Unlisted: unlisted})
	for _, part := range []struct {
		role, name string
		col        *capture.Column
	}{{rolePassStart, "start", pass.Start}, {rolePassDuration, "duration", pass.Duration}} {
		if part.col == nil {
			continue
		}
		f := planned{role: part.role, column: part.col, integer: part.col.Integers()}
		p.add(f, "pass "+pass.ID+" "+part.name, numberType(f.integer), true,
			map[string]string{keyPass: strconv.Itoa(i), "unit": "ns"})
	}
	return i
}

func numberType(integer bool) arrow.DataType {
	if integer {
		return uint64Type
	}
	return float64Type
}

func (p *planner) counter(c *capture.Counter, index int) error {
	keys, err := p.keys(c, index)
	if err != nil {
		return err
	}
	if integer, has := p.shape(c); has {
		p.add(planned{role: roleCounter, counter: c, integer: integer}, c.Name, numberType(integer), true, keys)
	} else {
		p.doc.Columnless = append(p.doc.Columnless, indexedEntry{index, keys})
	}
	for i, in := range c.Instances {
		if len(in.Instances) > 0 {
			return fmt.Errorf("counter %q: its instance %q has instances of its own, which a file cannot hold",
				c.Name, in.Name)
		}
		keys, err := p.keys(in, i)
		if err != nil {
			return err
		}
		integer, _ := p.shape(in) // one without a column is written as missing throughout
		keys[keyCounter] = c.Name
		p.add(planned{role: roleInstance, counter: in, integer: integer}, in.Name, numberType(integer), true, keys)
	}
	return nil
}

func (p *planner) keys(c *capture.Counter, index int) (map[string]string, error) {
	keys, err := counterKeys(c)
	if err != nil {
		return nil, err
	}
	keys[keyIndex] = strconv.Itoa(index)
	if c.Pass != nil {
		keys[keyPass] = strconv.Itoa(p.pass(c.Pass, true))
	}
	return keys, nil
}
