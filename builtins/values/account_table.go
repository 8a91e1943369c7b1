package values

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
)

// accountTable is what the table of a GPU says.
type accountTable struct {
	active, elapsed, cpus, clock []string
	clockMax, turns              string
	frame, floor, thread, unsure float64 // s, a level, a load, and a share
	idle                         string  // the unit that has the time without work
	instead                      []substitute
	atLeast                      []constantAtLeast
	device                       string // what reports call what works
	busiest                      bool   // of the instances of active the one with most work counts in every sample
	asleep                       bool   // a missing active share is that of a device without a clock
	queues, units                []accountEntry
	rests                        []accountEntry // parts of what idle has
}

// substitute is what tells nearly the same where a counter was not recorded: the text that formulas have in place of another one.
type substitute struct{ counter, text, put string }

// substitutesField takes a list of [counter, text, text in its place].
func substitutesField(to *[]substitute) func(starlark.Value) error {
	return func(v starlark.Value) error {
		return binding.Each(v, func(x starlark.Value) error {
			names, err := nameList(x)
			if err == nil && len(names) != 3 {
				err = fmt.Errorf("got %d texts, want a counter, a text and what stands in its place", len(names))
			}
			if err == nil {
				*to = append(*to, substitute{names[0], names[1], names[2]})
			}
			return err
		})
	}
}

// accountEntry is a queue or unit of it.
type accountEntry struct {
	name, title           string
	kind, queue, set      string
	level, per            [][]string // factors and divisors, each with alternatives
	upTo                  [][]string // see analysis.AccountUnit.Most
	tells                 string     // what would tell
	guess                 []string   // how high the level may be where it is missing
	clocked               [][]string // see followsClock: a factor of the level
	counted               []string   // counters that would have counted something
	scale, offset, errorn float64
	sure, stays, floor    float64 // see analysis.AccountUnit
	// the level is a share of the highest value that the capture shows, of itself or of most, or of least where that is more
	least                       float64
	most                        []string
	rest, fallback, holds, tied bool
	beside, uncounted           bool
	first                       bool // see analysis.AccountRest
}

// fields are the keys of a dict of a table, and what takes their values over.
type fields map[string]func(starlark.Value) error

func (f fields) read(d *starlark.Dict) error {
	for _, kv := range d.Items() {
		key, _ := starlark.AsString(kv[0])
		take := f[key]
		if take == nil {
			known := slices.Sorted(maps.Keys(f))
			return fmt.Errorf("%s: it has %s%s", kv[0], strings.Join(known, ", "), binding.DidYouMean(key, known))
		}
		if err := take(kv[1]); err != nil {
			return fmt.Errorf("%s: %w", kv[0], err)
		}
	}
	return nil
}

func textField(to *string) func(starlark.Value) error {
	return func(v starlark.Value) (err error) {
		var ok bool
		if *to, ok = starlark.AsString(v); !ok {
			err = fmt.Errorf("got %s, want a str", v.Type())
		}
		return err
	}
}

func numberField(to *float64) func(starlark.Value) error {
	return func(v starlark.Value) (err error) {
		var ok bool
		if *to, ok = starlark.AsFloat(v); !ok || math.IsNaN(*to) || math.IsInf(*to, 0) {
			err = fmt.Errorf("got %s, want a number", v)
		}
		return err
	}
}

func flagField(to *bool) func(starlark.Value) error {
	return func(v starlark.Value) error {
		b, ok := v.(starlark.Bool)
		if !ok {
			return fmt.Errorf("got %s, want True or False", v.Type())
		}
		*to = bool(b)
		return nil
	}
}

// namesField takes a name, or a list of alternatives.
func namesField(to *[]string) func(starlark.Value) error {
	return func(v starlark.Value) (err error) {
		*to, err = nameList(v)
		return err
	}
}

// factorsField takes a list of names or of lists of alternatives.
func factorsField(to *[][]string) func(starlark.Value) error {
	return func(v starlark.Value) error {
		return binding.Each(v, func(f starlark.Value) error {
			names, err := nameList(f)
			*to = append(*to, names)
			return err
		})
	}
}

func entriesField(to *[]accountEntry) func(starlark.Value) error {
	return func(v starlark.Value) error {
		return binding.Each(v, func(x starlark.Value) error {
			en, err := readAccountEntry(x)
			*to = append(*to, en)
			return err
		})
	}
}

func readAccountTable(d *starlark.Dict) (*accountTable, error) {
	t := &accountTable{frame: 1. / 60, device: "the GPU"}
	err := fields{
		"active": namesField(&t.active), "elapsed": namesField(&t.elapsed), "cpus": namesField(&t.cpus),
		"clock": namesField(&t.clock), "clock_max": textField(&t.clockMax), "turns": textField(&t.turns),
		"idle": textField(&t.idle), "device": textField(&t.device), "frame": numberField(&t.frame),
		"floor": numberField(&t.floor), "thread": numberField(&t.thread), "unsure": numberField(&t.unsure),
		"asleep": flagField(&t.asleep), "busiest": flagField(&t.busiest), "queues": entriesField(&t.queues),
		"units": entriesField(&t.units), "rests": entriesField(&t.rests),
		"instead": substitutesField(&t.instead), "at_least": constantsField(&t.atLeast),
	}.read(d)
	for _, en := range t.rests {
		if err == nil && (t.idle == "" || len(en.level) != 1) {
			err = fmt.Errorf("%s is a part of the time without work: the table needs idle, and it a level of one factor", en.name)
		}
	}
	return t, err
}

func readAccountEntry(v starlark.Value) (accountEntry, error) {
	en := accountEntry{kind: "unit", scale: 1, errorn: 0.02}
	d, ok := v.(*starlark.Dict)
	if !ok {
		return en, fmt.Errorf("got %s, want a list of dicts", v.Type())
	}
	var source string // it is for readers
	err := fields{
		"name": textField(&en.name), "title": textField(&en.title), "kind": textField(&en.kind),
		"queue": textField(&en.queue), "set": textField(&en.set), "source": textField(&source),
		"level": factorsField(&en.level), "per": factorsField(&en.per), "up_to": factorsField(&en.upTo),
		"tells": textField(&en.tells), "clocked": factorsField(&en.clocked),
		"guess": namesField(&en.guess), "counted": namesField(&en.counted), "scale": numberField(&en.scale),
		"offset": numberField(&en.offset), "error": numberField(&en.errorn), "sure": numberField(&en.sure),
		"stays": numberField(&en.stays), "floor": numberField(&en.floor), "least": numberField(&en.least),
		"most": namesField(&en.most), "rest": flagField(&en.rest), "fallback": flagField(&en.fallback), "beside": flagField(&en.beside),
		"holds": flagField(&en.holds), "tied": flagField(&en.tied), "uncounted": flagField(&en.uncounted), "first": flagField(&en.first),
	}.read(d)
	switch {
	case err != nil:
		return en, err
	case en.name == "" || len(en.level) == 0 && !en.uncounted:
		return en, fmt.Errorf("%s needs a name and a level", v)
	case len(en.most) > 0 && en.least <= 0:
		return en, fmt.Errorf("%s is a share of most, and needs the least that it is taken for", en.name)
	case len(en.level) > 0 && en.uncounted:
		return en, fmt.Errorf("%s has a level, and so something counts it", en.name)
	case en.kind != "unit" && en.kind != "memory":
		return en, fmt.Errorf("%s is a %q: the kinds are \"unit\" and \"memory\"", en.name, en.kind)
	}
	for _, names := range en.clocked {
		if len(names) != 2 {
			return en, fmt.Errorf("clocked: got %d names, want two counts of the same cycles", len(names))
		}
	}
	return en, nil
}

// nameList reads a name, or a list of alternatives.
func nameList(v starlark.Value) (out []string, err error) {
	err = binding.Each(v, func(x starlark.Value) error {
		s, ok := starlark.AsString(x)
		if !ok {
			return fmt.Errorf("got %s, want the name of a counter or metric", x.Type())
		}
		out = append(out, s)
		return nil
	})
	return out, err
}

// takenAsOne among alternatives says that a factor which was not measured counts as 1.
const takenAsOne = "1"

// tableKey is a table written so that others are written differently. Every rule of a page asks for its account with the
// same table of some thousand words: as Starlark writes it, the question took longer than the answer. What can no longer
// change, as what a module defines, is told by where it is, and is kept with the key, so that nothing else gets there.
type tableKey struct {
	text []byte
	kept []starlark.Value
}

func (t *tableKey) add(v starlark.Value, depth int) {
	const deepest = 8 // below it a table is no account's, and may hold itself
	if frozen(v) {
		t.text = fmt.Appendf(t.text, "@%p,", v)
		t.kept = append(t.kept, v)
		return
	}
	switch v := v.(type) {
	case starlark.String:
		t.text = append(append(binary.AppendUvarint(append(t.text, '"'), uint64(len(v))), v...), ',')
		return
	case *starlark.Dict:
		if depth == deepest {
			break
		}
		t.text = append(t.text, '{')
		for k, x := range v.Entries() {
			t.add(k, depth+1)
			t.add(x, depth+1)
		}
		t.text = append(t.text, '}')
		return
	case *starlark.List:
		if depth == deepest {
			break
		}
		t.text = append(t.text, '[')
		for x := range v.Elements() {
			t.add(x, depth+1)
		}
		t.text = append(t.text, ']')
		return
	}
	text := v.String()
	t.text = append(append(binary.AppendUvarint(append(append(t.text, v.Type()...), ':'), uint64(len(text))), text...), ',')
}

// frozen reports whether a dict or list can no longer change. Starlark tells nobody: a change is tried that would be none.
func frozen(v starlark.Value) bool {
	var err error
	switch v := v.(type) {
	case *starlark.Dict:
		_, _, err = v.Delete(nobodysKey{})
	case *starlark.List:
		if v.Len() > 0 {
			err = v.SetIndex(0, v.Index(0))
		}
	}
	return err != nil && strings.Contains(err.Error(), "frozen") // and not that it is being gone through
}

// nobodysKey is a key that no dict has.
type nobodysKey struct{ starlark.NoneType }
