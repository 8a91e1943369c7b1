package parquet

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"astrolabe/capture"
)

// options are what a user may say about a file that another program wrote.
type options struct {
	timeColumn string
	timeUnit   int64 // ns, 0 if not given
	period     int64 // ns, 0 if not given
	kind       *capture.Kind
	kinds      map[string]capture.Kind
}

var timeUnits = map[string]int64{"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}

func parseOptions(extra map[string]any) (*options, error) {
	o := &options{}
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		v := extra[name]
		if v == nil {
			continue
		}
		var err error
		switch name {
		case "time_column":
			o.timeColumn, err = text(v)
		case "time_unit":
			var s string
			if s, err = text(v); err == nil {
				if o.timeUnit = timeUnits[strings.ToLower(s)]; o.timeUnit == 0 {
					err = fmt.Errorf("%q is no unit of time: use ns, us, ms or s", s)
				}
			}
		case "period":
			o.period, err = duration(v)
		case "kinds":
			err = o.setKinds(v)
		default:
			return nil, fmt.Errorf("parquet has no option %q (it has kinds, period, time_column, time_unit)", name)
		}
		if err != nil {
			return nil, fmt.Errorf("option %s: %w", name, err)
		}
	}
	return o, nil
}

func text(v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	return "", fmt.Errorf("%v is a %T: give a text", v, v)
}

// duration reads seconds or a text such as "250us", in ns.
func duration(v any) (int64, error) {
	var ns float64
	switch v := v.(type) {
	case string:
		d, err := time.ParseDuration(v)
		if err != nil {
			return 0, fmt.Errorf("%q is no duration: write it as \"250us\", \"10ms\" or \"2s\"", v)
		}
		ns = float64(d)
	case float64:
		ns = v * 1e9
	case int:
		ns = float64(v) * 1e9
	case int64:
		ns = float64(v) * 1e9
	default:
		return 0, fmt.Errorf("%v is a %T: give seconds or a text such as \"10ms\"", v, v)
	}
	if !(ns >= 1 && ns < 1<<62) {
		return 0, fmt.Errorf("%v is not a positive duration of at least 1 ns", v)
	}
	return int64(ns + 0.5), nil
}

func (o *options) setKinds(v any) error {
	parse := func(x any) (capture.Kind, error) {
		s, err := text(x)
		if err != nil {
			return 0, err
		}
		k, ok := capture.ParseKind(s)
		if !ok || k == capture.Derived {
			return 0, fmt.Errorf("%q is no kind of counter: use \"delta\", \"gauge\" or \"constant\"", s)
		}
		return k, nil
	}
	byName, ok := v.(map[string]any)
	if !ok {
		k, err := parse(v)
		o.kind = &k
		return err
	}
	o.kinds = map[string]capture.Kind{}
	for name, x := range byName {
		k, err := parse(x)
		if err != nil {
			return err
		}
		o.kinds[name] = k
	}
	return nil
}
