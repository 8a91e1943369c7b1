package table

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/delimited"
)

// Options are what a user may say about the table of another program.
type Options struct {
	Ends       bool // the one time column holds ends
	Lengths    bool // it holds how long each row took
	TimeColumn string
	TimeUnit   *delimited.TimeUnit
	Period     int64 // ns, 0 if not given
	Labels     []string
	Shape      string // "wide", "long" or ""
	// CountRows lets rows without times count as one second each, with a warning, where the alternative is an error.
	CountRows bool
}

// Setter sets one option from what a caller gave.
type Setter func(v any) error

// setters hold one entry for each option of Options.
func (o *Options) setters() map[string]Setter {
	return map[string]Setter{
		"time": func(v any) error {
			s, err := AsText(v)
			if err == nil && s != "start" && s != "end" && s != "length" {
				err = fmt.Errorf("%q: use \"start\", \"end\" or \"length\"; time_column= names the column", s)
			}
			o.Ends, o.Lengths = s == "end", s == "length"
			return err
		},
		"time_column": func(v any) (err error) {
			o.TimeColumn, err = AsText(v)
			return err
		},
		"time_unit": func(v any) error {
			s, err := AsText(v)
			if err != nil {
				return err
			}
			u, ok := timeUnits[strings.ToLower(s)]
			if !ok {
				return fmt.Errorf("%q is no unit of time: use ns, us, ms, s, min or h", s)
			}
			o.TimeUnit = &u
			return nil
		},
		"period": func(v any) (err error) {
			o.Period, err = AsDuration(v)
			return err
		},
		"labels": func(v any) (err error) {
			o.Labels, err = asTexts(v)
			return err
		},
		"shape": func(v any) error {
			s, err := AsText(v)
			if err == nil && s != "wide" && s != "long" {
				err = fmt.Errorf("%q: use \"wide\" or \"long\"", s)
			}
			o.Shape = s
			return err
		},
	}
}

// Parse reads the options that a caller gave to a format; own are those that only this format has.
func (o *Options) Parse(format string, extra map[string]any, own map[string]Setter) error {
	setters := o.setters()
	maps.Copy(setters, own)
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		set, ok := setters[name]
		if !ok {
			return formats.OptionErrorf("%s has no option %q (it has kinds, %s)", format, name,
				strings.Join(slices.Sorted(maps.Keys(setters)), ", "))
		}
		if extra[name] == nil {
			continue
		}
		if err := set(extra[name]); err != nil {
			return formats.OptionErrorf("option %s: %w", name, err)
		}
	}
	return nil
}

// AsText takes an option that is a text.
func AsText(v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	return "", fmt.Errorf("%v is a %T: give a text", v, v)
}

func asTexts(v any) ([]string, error) {
	switch v := v.(type) {
	case string:
		var list []string // as a script and the hints of errors write it, on a command line
		if json.Unmarshal([]byte(v), &list) == nil {
			return list, nil
		}
		return []string{v}, nil
	case []string:
		return v, nil
	case []any:
		var out []string
		for _, x := range v {
			s, err := AsText(x)
			if err != nil {
				return nil, err
			}
			out = append(out, s)
		}
		return out, nil
	}
	return nil, fmt.Errorf("%v is a %T: give a list of texts", v, v)
}

// AsDuration reads seconds or a text such as "250us", in ns.
func AsDuration(v any) (int64, error) {
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
