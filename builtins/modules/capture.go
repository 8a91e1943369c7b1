package modules

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/values"
	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/hwio"
)

var captureModule = binding.MethodTable[*binding.Env]{
	Name: "capture",
	Doc:  "Opens, records and builds captures, and lists hardware sources.",
	Methods: []binding.Method[*binding.Env]{
		{
			Sig: "open(path: str, format: str=None, gpu: str=None, kinds: dict|str=None, force: bool=False, **options) -> Capture",
			Doc: "Reads a capture file or folder. The format is recognised by the content unless it is given. kinds " +
				"decides what is \"delta\" (counts, added up), \"gauge\" (levels, averaged) or \"constant\": a dict " +
				"of name or pattern to kind, or one kind for all. Without it the file's own metadata decides, then " +
				"the catalogue, then the unit, and else a counter is a delta and a warning says that it is guessed. " +
				"Options: denom (\"per_kernel\", \"per_wave\", \"per_cycle\", \"per_second\"), duration (\"pass\", " +
				"\"median\", \"first\"), zero (\"missing\", \"vendor\"), properties (a dict of constants that the " +
				"file does not state, such as {\"generation\": \"gfx8\", \"api\": \"gl\"} for amd-gpa), and what the " +
				"format itself knows. gpu is the id of a catalogue; one of another vendor or architecture than the " +
				"content says is an error unless force is true, and one of a sibling gives a warning.",
			Example: "capture.open(\"example.csv\")",
			Run:     openCapture,
		},
		{
			Sig: "record(source: str|list=None, counters: list|str=None, period: duration=\"10ms\", duration: duration=None, command: list=None, out: str=None, split: duration=None, last: duration=None, **options) -> Capture",
			Doc: "Records counters and opens the recording. source is one of capture.sources(), a name that some " +
				"share (\"cpu\" for all of the CPU's, \"mali\" for what reads one here), or a list; counters are " +
				"names with * and ?; it ends after the duration or with the command; Ctrl-C in a session ends it " +
				"too, and what was measured until then is the result. A command needs --allow-exec. split writes a " +
				"folder of parts of that time, which opens as one capture; last keeps only the end of the recording, " +
				"in a file NAME-0001.arrow. Options are the source's own, such as set=\"RenderBasic\" of i915; a list " +
				"of sets is measured one after the other, the command being run once for each.",
			Run: record,
		},
		{
			Sig: "sources() -> Table",
			Doc: "Every reader of hardware: name, whether it is usable here, why not, what to do about it, and " +
				"the names that it shares with others.",
			Example: "capture.sources()",
			Run:     func(e *binding.Env, c *binding.Call) (starlark.Value, error) { return sources(e.Context(), e) },
		},
		{
			Sig: "from_columns(columns: dict, times: list=None, period: duration=None, gpu: str=None, labels: dict=None, properties: dict=None, units: dict=None, kinds: dict=None, name: str=None, **options) -> Capture",
			Doc: "A capture from columns: a dict of name to list of numbers (None is missing), all of one length. " +
				"Names are the vendor's variables; NAME[ID] is an instance of NAME. times are the starts of the " +
				"samples in seconds (one more gives the end of the last), or period is their length; without both " +
				"each lasts 1 s. labels are lists of str, properties constants; units and kinds describe columns " +
				"that no catalogue knows. Options as for open.",
			Example: "capture.from_columns({\"cycles\": [10, 20, None]}, period=\"1ms\").total(\"cycles\")",
			Run:     fromColumns,
		},
		{
			Sig: "session(source: str|list, max_per_pass: int=None, **options) -> Session",
			Doc: "Counters measured in passes over repeated work. source is one of capture.sources() or a list of " +
				"them, with the options counters (names and globs beyond those that the source lists), pid, and the " +
				"source's own; or \"amd-gpa\": GPA's counters over stored hardware results, with the options raw (a " +
				"file, a Capture, or a dict of hardware counter to values), generation (\"gfx6\" to \"gfx9\"), api " +
				"(\"gl\", \"dx11\", \"dx12\", \"vk\", \"cl\", \"hsa\"), asic (such as \"TONGA\", for the constants " +
				"of the device) and those constants (num_shader_engines, num_simds, su_clocks_prim, num_prim_pipes, " +
				"ts_freq). max_per_pass limits the hardware counters of a pass. hide is a list of \"public\", " +
				"\"software\" and \"hardware\" counters to leave out; hardware counters by themselves are left out " +
				"unless it is given.",
			Example: "capture.session(\"amd-gpa\", raw={\"GPUTime_Bottom_To_Bottom\": [27000]}, generation=\"gfx8\", api=\"gl\", ts_freq=27e6).enabled",
			Run:     openSession,
		},
		{
			Sig: "screenshots(path: str) -> Screenshots",
			Doc: "A folder of pictures of frames, PNG, JPEG or BMP, for plot.small_multiples. What their names and an " +
				"index.csv may say is described at Screenshots.",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				path, err := e.Input(c.Str("path", ""))
				if err != nil {
					return nil, err
				}
				return binding.Interruptible(c, func() (starlark.Value, error) { return values.OpenScreenshots(e, path) })
			},
		},
		{
			Sig: "concat(captures: list) -> Capture", Doc: "One capture after the other.",
			Example: "capture.concat([cap, cap]).samples",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				var list []*capture.Capture
				err := binding.Each(c.Arg("captures"), func(x starlark.Value) error {
					cp, ok := x.(*values.Capture)
					if !ok {
						return fmt.Errorf("element %d is %s, want Capture", len(list), x.Type())
					}
					list = append(list, cp.Capture)
					return nil
				})
				if err != nil {
					return nil, err
				}
				if len(list) == 0 {
					return nil, errors.New("give at least one capture")
				}
				out, err := binding.Await(e.Context(), func() (*capture.Capture, error) { return capture.Concat(list) })
				if err != nil {
					return nil, err
				}
				return values.NewCapture(e, out), nil
			},
		},
	},
}

func record(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	if e.Record == nil {
		return nil, errors.New("this run cannot record")
	}
	var r binding.RecordRequest
	var err error
	one := func(name string) ([]string, error) {
		if s, ok := c.Arg(name).(starlark.String); ok {
			return strings.Split(string(s), ","), nil
		}
		if !c.Has(name) {
			return nil, nil
		}
		list, err := binding.AsStrings(c.Arg(name))
		if err != nil {
			return nil, fmt.Errorf("parameter %s: %w", name, err)
		}
		return list, nil
	}
	if r.Sources, err = one("source"); err != nil {
		return nil, err
	}
	if r.Counters, err = one("counters"); err != nil {
		return nil, err
	}
	if r.Period, err = c.Duration("period", 10e6); err != nil {
		return nil, err
	}
	if r.Duration, err = c.Duration("duration", 0); err != nil {
		return nil, err
	}
	if r.Split, err = c.Duration("split", 0); err != nil {
		return nil, err
	}
	if r.Last, err = c.Duration("last", 0); err != nil {
		return nil, err
	}
	if r.Period <= 0 || r.Duration < 0 {
		return nil, errors.New("period must be positive, and duration must not be negative")
	}
	if c.Has("command") {
		if !e.Exec {
			return nil, errors.New("parameter command: this run may not start commands; --allow-exec allows it")
		}
		if r.Command, err = binding.AsStrings(c.Arg("command")); err != nil {
			return nil, fmt.Errorf("parameter command: %w", err)
		}
	}
	for _, kv := range c.Extra {
		name := string(kv[0].(starlark.String))
		switch v := kv[1].(type) {
		case starlark.NoneType:
			continue
		case starlark.String:
			if name == "set" {
				r.Sets = strings.Split(string(v), ",")
				continue
			}
			r.SetOption(name, string(v))
		case starlark.Bool, starlark.Int, starlark.Float:
			r.SetOption(name, v.String())
		default:
			if name != "set" {
				return nil, fmt.Errorf("option %s: got %s, want str, int, float or bool", name, v.Type())
			}
			if r.Sets, err = binding.AsStrings(v); err != nil {
				return nil, fmt.Errorf("option set: %w", err)
			}
		}
	}
	if r.Duration == 0 && len(r.Command) == 0 {
		return nil, errors.New("say how long: give a duration, or a command to measure")
	}
	out := c.Str("out", "")
	if out == "" {
		out = "recording.arrow"
		if len(r.Sources) > 0 {
			out = strings.Join(r.Sources, "-") + ".arrow"
		}
		if r.Split > 0 {
			out = strings.TrimSuffix(out, ".arrow")
		}
	}
	if r.Out, err = e.Output(out); err != nil {
		return nil, err
	}
	path, err := e.Record(e.Context(), r)
	if err != nil {
		return nil, err
	}
	e.Written(path)
	return openPath(e, path, formats.Options{})
}

// sources is the table of every reader of hardware.
func sources(ctx context.Context, e *binding.Env) (*values.Table, error) {
	t := values.NewTable(e, []string{"name", "usable", "gpu", "device", "reason", "fix", "doc", "also"}, nil)
	if e.Sources == nil {
		return t, nil
	}
	for _, s := range e.Sources() {
		st, err := binding.Await(ctx, func() (hwio.Status, error) { return s.Probe(ctx), nil })
		if err != nil {
			return nil, err
		}
		t.Append(starlark.String(s.Name()), starlark.Bool(st.Usable), binding.Text(st.GPU), binding.Text(st.Device),
			binding.Text(st.Reason), binding.Text(st.Fix), binding.Text(s.Doc()),
			binding.Text(strings.Join(hwio.SharedNames(s), ", ")))
	}
	return t, nil
}
