package builtins

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/hwio"
)

var captureModule = methodTable[*Env]{
	Name:      "capture",
	Elsewhere: captureModuleElsewhere,
	Doc:       "Opens, records and builds captures, and lists hardware sources.",
	Methods: []method[*Env]{
		{
			Sig: "open(path: str, format: str=None, gpu: str=None, kinds: dict|str=None, force: bool=False, **options) -> Capture",
			Doc: "Reads a capture file or folder. The format is recognised by the content unless it is given. kinds decides what is \"delta\" (counts, added up), \"gauge\" (levels, averaged) or " +
				"\"constant\": a dict of name or pattern to kind, or one kind for all. Without it the file's own metadata decides, then the catalogue, then the unit, and else a counter " +
				"is a delta and a warning says that it is guessed. Options: denom (\"per_kernel\", \"per_wave\", \"per_cycle\", \"per_second\"), " +
				"duration (\"pass\", \"median\", \"first\"), zero (\"missing\", \"vendor\"), properties (a dict of constants that the file does not state, such as " +
				"{\"generation\": \"gfx8\", \"api\": \"gl\"} for amd-gpa), and what the format itself knows. gpu is the id of a catalogue; one of another vendor or architecture than the " +
				"content says is an error unless force is true, and one of a sibling gives a warning.",
			Example: "capture.open(\"example.csv\")",
			Run:     openCapture,
		},
		{
			Sig: "record(source: str|list=None, counters: list|str=None, period: duration=\"10ms\", duration: duration=None, command: list=None, out: str=None, **options) -> Capture",
			Doc: "Records counters and opens the recording. source is one of capture.sources(), a name that some share (\"cpu\" for all of the CPU's, \"mali\" for what reads one here), or a list; counters are names with * and ?; " +
				"it ends after the duration or with the command; Ctrl-C in a session ends it too, and what was measured until then is the result. A command needs " +
				"--allow-exec. Options are the source's own, such as set=\"RenderBasic\" of i915; " +
				"a list of sets is measured one after the other, the command being run once for each.",
			Run: record,
		},
		{
			Sig: "sources() -> Table", Doc: "Every reader of hardware: name, whether it is usable here, why not, what to do about it, and the names that it shares with others.", Example: "capture.sources()",
			Run: func(e *Env, c *call) (starlark.Value, error) { return Sources(e.Context(), e) },
		},
		{
			Sig: "from_columns(columns: dict, times: list=None, period: duration=None, gpu: str=None, labels: dict=None, properties: dict=None, units: dict=None, kinds: dict=None, name: str=None, **options) -> Capture",
			Doc: "A capture from columns: a dict of name to list of numbers (None is missing), all of one length. Names are the vendor's variables; NAME[ID] is an instance of NAME. " +
				"times are the starts of the samples in seconds (one more gives the end of the last), or period is their length; without both each lasts 1 s. " +
				"labels are lists of str, properties constants; units and kinds describe columns that no catalogue knows. Options as for open.",
			Example: "capture.from_columns({\"cycles\": [10, 20, None]}, period=\"1ms\").total(\"cycles\")",
			Run:     fromColumns,
		},
		{
			Sig: "session(source: str|list, max_per_pass: int=None, **options) -> Session",
			Doc: "Counters measured in passes over repeated work. source is one of capture.sources() or a list of them, with the options counters (names and globs beyond those that the " +
				"source lists), pid, and the source's own; or \"amd-gpa\": GPA's counters over stored hardware results, with the options raw (a file, a Capture, or a dict of hardware counter to " +
				"values), generation (\"gfx6\" to \"gfx9\"), api (\"gl\", \"dx11\", \"dx12\", \"vk\", \"cl\", \"hsa\"), asic (such as \"TONGA\", for the constants of the device) and those constants " +
				"(num_shader_engines, num_simds, su_clocks_prim, num_prim_pipes, ts_freq). max_per_pass limits the hardware counters of a pass. hide is a list of \"public\", \"software\" and " +
				"\"hardware\" counters to leave out; hardware counters by themselves are left out unless it is given.",
			Example: "capture.session(\"amd-gpa\", raw={\"GPUTime_Bottom_To_Bottom\": [27000]}, generation=\"gfx8\", api=\"gl\", ts_freq=27e6).enabled",
			Run:     openSession,
		},
		{
			Sig: "concat(captures: list) -> Capture", Doc: "One capture after the other.", Example: "capture.concat([cap, cap]).samples",
			Run: func(e *Env, c *call) (starlark.Value, error) {
				var list []*capture.Capture
				err := each(c.args[0], func(x starlark.Value) error {
					cp, ok := x.(*Capture)
					if !ok {
						return fmt.Errorf("element %d is %s, want Capture", len(list), x.Type())
					}
					list = append(list, cp.c)
					return nil
				})
				if err != nil {
					return nil, err
				}
				if len(list) == 0 {
					return nil, errors.New("give at least one capture")
				}
				out, err := await(e.Context(), func() (*capture.Capture, error) { return capture.Concat(list) })
				if err != nil {
					return nil, err
				}
				return NewCapture(e, out), nil
			},
		},
	},
}

// captureOptions reads the options that open and from_columns share. What is left over goes into Extra.
func captureOptions(c *call) (formats.Options, error) {
	o := formats.Options{}
	for _, kv := range c.extra {
		name := string(kv[0].(starlark.String))
		v := kv[1]
		if v == starlark.None {
			continue
		}
		choice := func(dst *string, allowed ...string) error {
			s, ok := starlark.AsString(v)
			for _, a := range allowed {
				if ok && s == a {
					*dst = s
					return nil
				}
			}
			return fmt.Errorf("option %s: %s is none of %q", name, v, allowed)
		}
		var err error
		switch name {
		case "denom":
			err = choice(&o.Denom, "per_kernel", "per_wave", "per_cycle", "per_second")
		case "duration":
			err = choice(&o.Duration, "pass", "median", "first")
		case "zero":
			err = choice(&o.Zero, "missing", "vendor")
		case "properties":
			o.Properties, err = readProperties(v)
		default:
			if o.Extra == nil {
				o.Extra = map[string]any{}
			}
			o.Extra[name], err = plain(v)
		}
		if err != nil {
			return o, err
		}
	}
	return o, nil
}

// plain is a Starlark value as formats take options: bool, int64, float64, string or []string.
func plain(v starlark.Value) (any, error) {
	switch v := v.(type) {
	case starlark.Bool:
		return bool(v), nil
	case starlark.String:
		return string(v), nil
	case starlark.Float:
		return float64(v), nil
	case starlark.Int:
		n, ok := v.Int64()
		if !ok {
			return nil, fmt.Errorf("%s is too large", v)
		}
		return n, nil
	}
	return asStrings(v)
}

func openCapture(e *Env, c *call) (starlark.Value, error) {
	if e.Registry == nil {
		return nil, errors.New("this session knows no file formats")
	}
	opt, err := captureOptions(c)
	if err != nil {
		return nil, err
	}
	opt.Format, opt.GPU, opt.Force = c.str(1, ""), c.str(2, ""), c.flag(4, false)
	if opt.Kinds, err = readKinds(c.args[3]); err != nil {
		return nil, fmt.Errorf("parameter kinds: %w", err)
	}
	path, err := e.input(c.str(0, ""))
	if err != nil {
		return nil, err
	}
	out, err := e.openCapture(path, opt)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// readKinds reads a dict of name or pattern to kind, or one kind.
func readKinds(v starlark.Value) (formats.Kinds, error) {
	if v == nil || v == starlark.None {
		return nil, nil
	}
	if s, ok := starlark.AsString(v); ok {
		k, err := formats.ParseKind(s)
		return formats.Kinds{"*": k}, err
	}
	texts, err := textMap(v)
	if err != nil {
		return nil, err
	}
	out := formats.Kinds{}
	for name, text := range texts {
		if out[name], err = formats.ParseKind(text); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (e *Env) openCapture(path string, opt formats.Options) (*Capture, error) {
	if e.Files != nil {
		opt.Beside = e.Files.Beside
	}
	ctx, done := e.busy("opening " + path)
	defer done()
	out, err := await(ctx, func() (*capture.Capture, error) { return e.Registry.Open(ctx, path, opt) })
	if err != nil {
		return nil, err
	}
	return NewCapture(e, out), nil
}

func (r *RecordRequest) setOption(name, value string) {
	if r.Options == nil {
		r.Options = map[string]string{}
	}
	r.Options[name] = value
}

func record(e *Env, c *call) (starlark.Value, error) {
	if e.Record == nil {
		return nil, errors.New("this run cannot record")
	}
	var r RecordRequest
	var err error
	one := func(i int) ([]string, error) {
		if s, ok := c.args[i].(starlark.String); ok {
			return strings.Split(string(s), ","), nil
		}
		if !c.has(i) {
			return nil, nil
		}
		list, err := asStrings(c.args[i])
		if err != nil {
			return nil, fmt.Errorf("parameter %s: %w", c.sig.Params[i].Name, err)
		}
		return list, nil
	}
	if r.Sources, err = one(0); err != nil {
		return nil, err
	}
	if r.Counters, err = one(1); err != nil {
		return nil, err
	}
	if r.Period, err = c.duration(2, 10e6); err != nil {
		return nil, err
	}
	if r.Duration, err = c.duration(3, 0); err != nil {
		return nil, err
	}
	if r.Period <= 0 || r.Duration < 0 {
		return nil, errors.New("period must be positive, and duration must not be negative")
	}
	if c.has(4) {
		if !e.Exec {
			return nil, errors.New("parameter command: this run may not start commands; --allow-exec allows it")
		}
		if r.Command, err = asStrings(c.args[4]); err != nil {
			return nil, fmt.Errorf("parameter command: %w", err)
		}
	}
	for _, kv := range c.extra {
		name := string(kv[0].(starlark.String))
		switch v := kv[1].(type) {
		case starlark.NoneType:
			continue
		case starlark.String:
			if name == "set" {
				r.Sets = strings.Split(string(v), ",")
				continue
			}
			r.setOption(name, string(v))
		case starlark.Bool, starlark.Int, starlark.Float:
			r.setOption(name, v.String())
		default:
			if name != "set" {
				return nil, fmt.Errorf("option %s: got %s, want str, int, float or bool", name, v.Type())
			}
			if r.Sets, err = asStrings(v); err != nil {
				return nil, fmt.Errorf("option set: %w", err)
			}
		}
	}
	if r.Duration == 0 && len(r.Command) == 0 {
		return nil, errors.New("say how long: give a duration, or a command to measure")
	}
	out := c.str(5, "")
	if out == "" {
		out = "recording.arrow"
		if len(r.Sources) > 0 {
			out = strings.Join(r.Sources, "-") + ".arrow"
		}
	}
	if r.Out, err = e.output(out); err != nil {
		return nil, err
	}
	path, err := e.Record(e.Context(), r)
	if err != nil {
		return nil, err
	}
	e.wrote(path)
	return e.openCapture(path, formats.Options{})
}

// Sources is the table of every reader of hardware.
func Sources(ctx context.Context, e *Env) (*Table, error) {
	t := NewTable(e, []string{"name", "usable", "gpu", "device", "reason", "fix", "doc", "also"}, nil)
	if e.Sources == nil {
		return t, nil
	}
	for _, s := range e.Sources() {
		st, err := await(ctx, func() (hwio.Status, error) { return s.Probe(ctx), nil })
		if err != nil {
			return nil, err
		}
		t.Append(starlark.String(s.Name()), starlark.Bool(st.Usable), text(st.GPU), text(st.Device), text(st.Reason), text(st.Fix), text(s.Doc()), text(strings.Join(hwio.SharedNames(s), ", ")))
	}
	return t, nil
}
