package csv

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/delimited"
)

// options are the format's own options, checked.
type options struct {
	delim, decimal byte
	ends           bool // the one time column holds ends
	timeColumn     string
	timeUnit       *delimited.TimeUnit
	period         int64 // ns, 0 if not given
	labels         []string
	kind           *capture.Kind
	kinds          map[string]capture.Kind
	shape          string
}

// setters hold one entry for each option.
var setters = map[string]func(o *options, v any) error{
	"delimiter": func(o *options, v any) error {
		s, err := text(v)
		if s == `\t` || s == "tab" {
			s = "\t"
		}
		if err == nil && (len(s) != 1 || strings.ContainsAny(s, "\"\r\n #.0123456789+-")) {
			err = fmt.Errorf("%q cannot delimit cells: use one of , ; | or a tab", s)
		}
		if err == nil {
			o.delim = s[0]
		}
		return err
	},
	"decimal": func(o *options, v any) error {
		s, err := text(v)
		if err == nil && s != "." && s != "," {
			err = fmt.Errorf("%q is no decimal mark: use \".\" or \",\"", s)
		}
		if err == nil {
			o.decimal = s[0]
		}
		return err
	},
	"time": func(o *options, v any) error {
		s, err := text(v)
		if err == nil && s != "start" && s != "end" {
			err = fmt.Errorf("%q: use \"start\" or \"end\"; time_column= names the column", s)
		}
		o.ends = s == "end"
		return err
	},
	"time_column": func(o *options, v any) (err error) {
		o.timeColumn, err = text(v)
		return err
	},
	"time_unit": func(o *options, v any) error {
		s, err := text(v)
		if err != nil {
			return err
		}
		u, ok := timeUnits[strings.ToLower(s)]
		if !ok {
			return fmt.Errorf("%q is no unit of time: use ns, us, ms, s, min or h", s)
		}
		o.timeUnit = &u
		return nil
	},
	"period": func(o *options, v any) (err error) {
		o.period, err = duration(v)
		return err
	},
	"labels": func(o *options, v any) (err error) {
		o.labels, err = texts(v)
		return err
	},
	"kinds": func(o *options, v any) error { return o.setKinds(v) },
	"shape": func(o *options, v any) error {
		s, err := text(v)
		if err == nil && s != "wide" && s != "long" {
			err = fmt.Errorf("%q: use \"wide\" or \"long\"", s)
		}
		o.shape = s
		return err
	},
}

func parseOptions(extra map[string]any) (*options, error) {
	o := &options{}
	names := make([]string, 0, len(extra))
	for name := range extra {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		set, ok := setters[name]
		if !ok {
			var known []string
			for k := range setters {
				known = append(known, k)
			}
			slices.Sort(known)
			return nil, fmt.Errorf("csv has no option %q (it has %s)", name, strings.Join(known, ", "))
		}
		if extra[name] == nil {
			continue
		}
		if err := set(o, extra[name]); err != nil {
			return nil, fmt.Errorf("option %s: %w", name, err)
		}
	}
	if o.delim != 0 && o.delim == o.decimal {
		return nil, fmt.Errorf("options delimiter and decimal are both %q", o.delim)
	}
	return o, nil
}

func text(v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	return "", fmt.Errorf("%v is a %T: give a text", v, v)
}

func texts(v any) ([]string, error) {
	switch v := v.(type) {
	case string:
		return []string{v}, nil
	case []string:
		return v, nil
	case []any:
		var out []string
		for _, x := range v {
			s, err := text(x)
			if err != nil {
				return nil, err
			}
			out = append(out, s)
		}
		return out, nil
	}
	return nil, fmt.Errorf("%v is a %T: give a list of texts", v, v)
}

// duration reads seconds or a text such as "250us", in ns.
func duration(v any) (int64, error) {
	var d float64
	switch v := v.(type) {
	case string:
		p, err := time.ParseDuration(v)
		if err != nil {
			return 0, fmt.Errorf("%q is no duration: write it as \"250us\", \"10ms\" or \"2s\"", v)
		}
		d = float64(p)
	case time.Duration:
		d = float64(v)
	case float64:
		d = v * 1e9
	case int:
		d = float64(v) * 1e9
	case int64:
		d = float64(v) * 1e9
	default:
		return 0, fmt.Errorf("%v is a %T: give seconds or a text such as \"10ms\"", v, v)
	}
	if !(d >= 1 && d < 1<<62) {
		return 0, fmt.Errorf("%v is not a positive duration of at least 1 ns", v)
	}
	return int64(d + 0.5), nil
}

func (o *options) setKinds(v any) error {
	set := func(name string, x any) error {
		s, err := text(x)
		if err != nil {
			return err
		}
		k, ok := capture.ParseKind(s)
		if !ok || k == capture.Derived {
			return fmt.Errorf("%q is no kind of counter: use \"delta\", \"gauge\" or \"constant\"", s)
		}
		if name == "" {
			o.kind = &k
			return nil
		}
		if o.kinds == nil {
			o.kinds = map[string]capture.Kind{}
		}
		o.kinds[name] = k
		return nil
	}
	switch v := v.(type) {
	case string:
		return set("", v)
	case map[string]string:
		for k, x := range v {
			if err := set(k, x); err != nil {
				return err
			}
		}
		return nil
	case map[string]any:
		for k, x := range v {
			if err := set(k, x); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("%v is a %T: give a kind, or a dictionary of counter and kind", v, v)
}

// kindFor is the kind of a counter: as the user says, else by the documented rule.
func (o *options) kindFor(h *header) capture.Kind {
	for _, name := range []string{h.Full, h.Name, h.Base} {
		if k, ok := o.kinds[name]; ok {
			return k
		}
	}
	if o.kind != nil {
		return *o.kind
	}
	return kindOf(h.Base, h.Unit)
}
