package values

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/capture"
	"astrolabe/hwio/session"
)

// sessionCall is a method without parameters and without a result.
func sessionCall(name, doc, example string, call func(c *session.Context) error) binding.Method[*Session] {
	return binding.Method[*Session]{Sig: name + "()", Doc: doc, Example: example,
		Run: func(s *Session, _ *binding.Call) (starlark.Value, error) {
			return starlark.None, call(s.context)
		}}
}

// sessionStep is a method without parameters that makes one step of a session.
func sessionStep(name, doc, example string, step session.Step) binding.Method[*Session] {
	return binding.Method[*Session]{Sig: name + "()", Doc: doc, Example: example,
		Run: func(s *Session, _ *binding.Call) (starlark.Value, error) {
			return starlark.None, s.context.Step(s.env.Context(), step, 0)
		}}
}

// sessionCapture is a method that makes a capture of a session.
func sessionCapture(sig, doc, example string,
	f func(c *session.Context, ctx context.Context, id uint32) (*capture.Capture, error)) binding.Method[*Session] {
	return binding.Method[*Session]{Sig: sig, Doc: doc, Example: example,
		Run: func(s *Session, c *binding.Call) (starlark.Value, error) {
			n, err := id(c, "session")
			if err != nil {
				return nil, err
			}
			out, err := f(s.context, s.env.Context(), n)
			if err != nil {
				return nil, err
			}
			return describedCapture(s.env, out)
		}}
}

var sessionTable = binding.MethodTable[*Session]{
	Name: "Session",
	Doc: "Counters that are measured in passes, after the model of AMD's GPUPerfAPI: enable counters, then repeat " +
		"the work once per pass, or let run() do it. Errors carry GPA's status, such as SAMPLE_NOT_FOUND. " +
		"docs/gpa-functions.md lists every function of GPA's guide with the call that does it.",
	Attrs: []binding.Attribute[*Session]{
		{Name: "counters", Type: "Table", Doc: "Every counter: index, name, group, usage, type, enabled, description.",
			Ask: (*Session).counterTable},
		{Name: "enabled", Type: "list", Doc: "Names of the enabled counters in the order of enabling.",
			Ask: func(s *Session) (starlark.Value, error) {
				enabled, err := s.context.Enabled()
				if err != nil {
					return nil, err
				}
				counters, err := s.context.Counters()
				if err != nil {
					return nil, err
				}
				names := make([]string, len(enabled))
				for k, i := range enabled {
					names[k] = counters[i].Name
				}
				return binding.StringList(names), nil
			}},
		{Name: "passes", Type: "int",
			Doc: "How often the work has to be repeated for the enabled counters; 0 where none is enabled.",
			Ask: func(s *Session) (starlark.Value, error) {
				passes, err := s.context.Passes()
				return starlark.MakeInt(len(passes)), err
			}},
		{Name: "plan", Type: "list", Doc: "The hardware counters of each pass, a list of names per pass.",
			Get: func(s *Session) starlark.Value {
				var out []starlark.Value
				passes, _ := s.context.Passes() // a closed context has no pass
				for _, pass := range passes {
					var names []string
					for _, h := range pass {
						names = append(names, h.Name)
					}
					out = append(out, binding.StringList(names))
				}
				return binding.FrozenList(out)
			}},
		{Name: "sessions", Type: "list",
			Doc: "Numbers of the sessions whose results are kept: the last four, the oldest first.",
			Get: func(s *Session) starlark.Value {
				var out []starlark.Value
				for _, n := range s.context.Sessions() {
					out = append(out, starlark.MakeUint64(uint64(n)))
				}
				return binding.FrozenList(out)
			}},
		{Name: "device", Type: "struct", Doc: "What is measured: name, vendor, driver, id; None where it is not known.",
			Get: func(s *Session) starlark.Value {
				return deviceStruct(s.context.Device())
			}},
	},
	Methods: []binding.Method[*Session]{
		{
			Sig:     "enable(*counters: str|int|list|None)",
			Doc:     "Enables counters by name, in any case, or by index, for the sessions to come.",
			Example: "ses.enable(\"GPUTime\", 1)",
			Run: func(s *Session, c *binding.Call) (starlark.Value, error) {
				return change(c.Rest, s.context.Enable)
			},
		},
		{
			Sig: "disable(*counters: str|int|list|None)", Doc: "Disables counters by name or index.",
			Example: "ses.enable_all(); ses.disable(\"gputime\")",
			Run: func(s *Session, c *binding.Call) (starlark.Value, error) {
				return change(c.Rest, s.context.Disable)
			},
		},
		sessionCall("enable_all", "Enables every counter, in the order of their indices.", "ses.enable_all()",
			(*session.Context).EnableAll),
		sessionCall("disable_all", "Disables every counter.", "ses.disable_all()",
			(*session.Context).DisableAll),
		{
			Sig: "is_enabled(counter: str|int) -> bool", Doc: "Whether a counter is enabled.",
			Example: "ses.is_enabled(\"GPUTime\")",
			Run: func(s *Session, c *binding.Call) (starlark.Value, error) {
				i, err := s.context.Number(counterRef(c.Arg("counter")))
				if err != nil {
					return nil, err
				}
				err = s.context.IsEnabled(i)
				if session.StatusOf(err) == session.NotFound {
					return starlark.False, nil
				}
				return starlark.Bool(err == nil), err
			},
		},
		{
			Sig: "index(name: str|None) -> int", Doc: "Index of the counter of that name, in any case.",
			Example: "ses.index(\"gputime\")",
			Run: func(s *Session, c *binding.Call) (starlark.Value, error) {
				i, err := s.context.Number(counterRef(c.Arg("name")))
				return starlark.MakeInt(i), err
			},
		},
		{
			Sig: "begin_session() -> int",
			Doc: "Begins a session with the enabled counters and gives its number, which counts from 1. The " +
				"counters cannot be changed until it ends.",
			Example: "ses.enable(\"GPUTime\"); n = ses.begin_session()",
			Run: func(s *Session, c *binding.Call) (starlark.Value, error) {
				err := s.context.Step(s.env.Context(), session.BeginSession, 0)
				return starlark.MakeUint64(uint64(s.context.Last())), err
			},
		},
		sessionStep("begin_pass",
			"Begins the next pass of the session. Passes beyond those needed are accepted and measure nothing.",
			"ses.enable(\"GPUTime\"); ses.begin_session(); ses.begin_pass()",
			session.BeginPass),
		{
			Sig:     "begin_sample(sample: int)",
			Doc:     "Begins a sample. The same number in every pass tells that the samples belong together.",
			Example: "ses.enable(\"GPUTime\"); ses.begin_session(); ses.begin_pass(); ses.begin_sample(0)",
			Run: func(s *Session, c *binding.Call) (starlark.Value, error) {
				n, err := id(c, "sample")
				if err != nil {
					return nil, err
				}
				return starlark.None, s.context.Step(s.env.Context(), session.BeginSample, n)
			},
		},
		sessionStep("end_sample", "Ends the sample.",
			"ses.enable(\"GPUTime\"); ses.begin_session(); ses.begin_pass(); ses.begin_sample(0); ses.end_sample()",
			session.EndSample),
		sessionStep("end_pass",
			"Ends the pass. Where its number of samples is not that of the first pass it is ended too, with an error.",
			"ses.enable(\"GPUTime\"); ses.begin_session(); ses.begin_pass(); ses.end_pass()",
			session.EndPass),
		sessionStep("end_session", "Ends the session. Where passes are missing it is ended too, with an error.",
			"ses.enable(\"GPUTime\"); ses.begin_session(); ses.begin_pass(); ses.end_pass(); ses.end_session()",
			session.EndSession),
		{
			Sig: "run(command: list=None, period: duration=None) -> Capture",
			Doc: "Makes a whole session: runs the command once per pass and gives a capture of what was measured, in " +
				"which every counter knows its pass and that pass's own duration. Without a period each run is one " +
				"sample; with one, samples of the runs belong together by position. Sessions over stored results " +
				"take no command. A command needs --allow-exec.",
			Example: "ses.enable(\"GPUTime\"); ses.run()[\"GPUTime\"].values",
			Run:     runSession,
		},
		{
			Sig:     "ready(session: int, sample: int=None) -> bool",
			Doc:     "Whether the results of a session, or of one sample of it, can be had without waiting.",
			Example: "ses.enable(\"GPUTime\"); ses.run(); ses.ready(1, 0)",
			Run: func(s *Session, c *binding.Call) (starlark.Value, error) {
				n, err := id(c, "session")
				if err != nil {
					return nil, err
				}
				if !c.Has("sample") {
					ready, err := s.context.IsSessionReady(n)
					return starlark.Bool(ready), err
				}
				sample, err := id(c, "sample")
				if err != nil {
					return nil, err
				}
				ready, err := s.context.IsSampleReady(n, sample)
				return starlark.Bool(ready), err
			},
		},
		{
			Sig: "result(session: int, sample: int, counter: str|int=None, type: str=None)",
			Doc: "The result of a counter in a sample, once it is there; without a counter a dict of all " +
				"enabled. type (\"float64\", \"uint64\", ...) insists on the type of the counter's results.",
			Example: "ses.enable(\"GPUTime\"); ses.run(); ses.result(1, 0, \"GPUTime\")",
			Run:     sessionResult,
		},
		{
			Sig:     "samples(session: int) -> list",
			Doc:     "Numbers of the samples of a session, in the order of its first pass.",
			Example: "ses.enable(\"GPUTime\"); ses.run(); ses.samples(1)",
			Run: func(s *Session, c *binding.Call) (starlark.Value, error) {
				n, err := id(c, "session")
				if err != nil {
					return nil, err
				}
				list, err := s.context.Samples(n)
				if err != nil {
					return nil, err
				}
				out := make([]starlark.Value, len(list))
				for i, x := range list {
					out[i] = starlark.MakeUint64(uint64(x))
				}
				return binding.FrozenList(out), nil
			},
		},
		sessionCapture("capture(session: int) -> Capture",
			"What an ended session measured: a sample for each of its samples, and the hardware counters with their passes.",
			"ses.enable(\"GPUTime\"); ses.run(); ses.capture(1)",
			(*session.Context).Capture),
		sessionCapture("results(session: int) -> Capture",
			"The results of the enabled counters of an ended session, in the order of enabling: save it with format=\"gpa\" for the file of GPA's guide.",
			"ses.enable(\"GPUTime\"); ses.run(); ses.results(1)",
			(*session.Context).Results),
		{
			Sig: "on_log(f: function|None, types: str=\"error,message\")",
			Doc: "Calls f(type, text) with errors, messages and a trace of the calls (\"trace\"), of all " +
				"sessions of the run; None ends it. Only one function is called: the last.",
			Example: "ses.on_log(lambda type, text: print(type, text), types=\"all\")",
			Run:     sessionLog,
		},
		sessionCall("select", "Makes this the current context, which fails where it is closed. Every other call of a session "+
			"does so by itself.", "ses.select()", (*session.Context).Select),
		{
			Sig: "open()", Doc: "Opens the context again after close(). No counter is enabled.",
			Example: "ses.close(); ses.open()",
			Run: func(s *Session, c *binding.Call) (starlark.Value, error) {
				return starlark.None, s.context.Open(s.env.Context())
			},
		},
		sessionCall("close", "Closes the context. Its results are lost.", "ses.close()",
			(*session.Context).Close),
	},
}

func (s *Session) counterTable() (starlark.Value, error) {
	list, err := s.context.Counters()
	if err != nil {
		return nil, err
	}
	enabled, err := s.context.Enabled()
	if err != nil {
		return nil, err
	}
	t := NewTable(s.env, []string{"index", "name", "group", "usage", "type", "enabled", "description"}, nil)
	for i, c := range list {
		t.Append(starlark.MakeInt(i), starlark.String(c.Name), binding.Text(c.Group), binding.Text(c.Usage),
			binding.Text(string(c.Type)), starlark.Bool(slices.Contains(enabled, i)), binding.Text(c.Doc))
	}
	return t, nil
}

func runSession(s *Session, c *binding.Call) (starlark.Value, error) {
	r := &session.Run{Output: s.env.CommandOutput, Warn: func(text string) { s.env.Warnf("%s", text) }}
	if r.Output == nil {
		r.Output = io.Discard
	}
	if c.Has("command") {
		if !s.env.Exec {
			return nil, fmt.Errorf("parameter command: this run may not start commands; --allow-exec allows it")
		}
		args, err := binding.AsStrings(c.Arg("command"))
		if err != nil {
			return nil, fmt.Errorf("parameter command: %w", err)
		}
		if len(args) == 0 {
			return nil, fmt.Errorf("parameter command: the list is empty")
		}
		r.Args = args
	}
	period, err := c.Duration("period", 0)
	if err != nil {
		return nil, err
	}
	if period < 0 || c.Has("period") && period == 0 {
		return nil, fmt.Errorf("parameter period: it must be positive")
	}
	r.Period = time.Duration(period)
	n, err := s.context.Run(s.env.Context(), r)
	if err != nil {
		return nil, err
	}
	out, err := s.context.Capture(s.env.Context(), n)
	if err != nil {
		return nil, err
	}
	return describedCapture(s.env, out)
}

func sessionResult(s *Session, c *binding.Call) (starlark.Value, error) {
	n, err := id(c, "session")
	if err != nil {
		return nil, err
	}
	sample, err := id(c, "sample")
	if err != nil {
		return nil, err
	}
	ctx := s.env.Context()
	if !c.Has("counter") {
		out, err := s.context.EnabledIn(n)
		if err != nil {
			return nil, err
		}
		counters, err := s.context.Counters()
		if err != nil {
			return nil, err
		}
		d := starlark.NewDict(len(out))
		for _, i := range out {
			v, err := s.context.Result(ctx, n, sample, i, "")
			if err != nil {
				return nil, err
			}
			d.SetKey(starlark.String(counters[i].Name), binding.Number(v))
		}
		d.Freeze()
		return d, nil
	}
	i, err := s.context.Number(counterRef(c.Arg("counter")))
	if err != nil {
		return nil, err
	}
	want := session.ParseType(c.Str("type", ""))
	if c.Has("type") && want == "" {
		return nil, fmt.Errorf(
			"parameter type: %s is no type; there are float32, float64, uint32, uint64, int32 and int64",
			c.Arg("type"))
	}
	v, err := s.context.Result(ctx, n, sample, i, want)
	if err != nil {
		return nil, err
	}
	return binding.Number(v), nil
}

// sessionLog registers a function of the script. What it raises ends the statement that caused the message.
func sessionLog(s *Session, c *binding.Call) (starlark.Value, error) {
	types, err := session.ParseLogTypes(c.Str("types", "error,message"))
	if err != nil {
		return nil, fmt.Errorf("parameter types: %w", err)
	}
	e := s.env
	f, ok := c.Arg("f").(starlark.Callable)
	if !ok {
		if c.Has("types") && types != session.LogNone {
			return starlark.None, e.SessionLog.Register(types, nil)
		}
		return starlark.None, e.SessionLog.Register(session.LogNone, nil)
	}
	return starlark.None, e.SessionLog.Register(types, func(t session.LogType, text string) {
		thread := e.Running()
		if thread == nil || e.Logging {
			return
		}
		e.Logging = true
		defer func() { e.Logging = false }()
		if _, err := starlark.Call(thread, f, starlark.Tuple{starlark.String(t.Name()), starlark.String(text)},
			nil); err != nil {
			thread.Cancel("on_log: " + err.Error())
		}
	})
}
