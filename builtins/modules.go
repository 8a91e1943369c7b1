package builtins

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"

	"go.starlark.net/lib/json"
	starmath "go.starlark.net/lib/math"
	startime "go.starlark.net/lib/time"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// mostPattern is how long a regular expression may be, in bytes: reading one takes thousands of times its length.
const mostPattern = 64 << 10

func sorted(names []string) []string {
	slices.Sort(names)
	return names
}

// mathMethod is a function of one number. NaN as a result is a result here, as in any math library; None is no argument.
func mathMethod(name, doc string, f func(x float64) starlark.Value) method[*Env] {
	return method[*Env]{Sig: name + "(x: number)", Doc: doc, Example: "math." + name + "(8)",
		Run: func(e *Env, c *call) (starlark.Value, error) { return f(c.float(0, 0)), nil }}
}

var mathModule = methodTable[*Env]{
	Name:      "math",
	Elsewhere: mathModuleElsewhere,
	Doc:       "Mathematical functions and constants of Starlark's math library, with nan, inf, isnan, isinf, log2 and log10.",
	Attrs: []attribute[*Env]{
		{Name: "nan", Type: "float", Doc: "Not a number.", Get: func(*Env) (starlark.Value, error) { return starlark.Float(math.NaN()), nil }},
		{Name: "inf", Type: "float", Doc: "Infinity.", Get: func(*Env) (starlark.Value, error) { return starlark.Float(math.Inf(1)), nil }},
	},
	Methods: []method[*Env]{
		{Sig: "isnan(x: number|None) -> bool", Doc: "Whether x is not a number, or None.", Example: "math.isnan(math.nan)",
			Run: func(e *Env, c *call) (starlark.Value, error) {
				return starlark.Bool(math.IsNaN(numberOrNaN(c.args[0]))), nil
			}},
		mathMethod("isinf", "Whether x is infinite.", func(x float64) starlark.Value { return starlark.Bool(math.IsInf(x, 0)) }),
		mathMethod("log2", "Logarithm to base 2.", func(x float64) starlark.Value { return starlark.Float(math.Log2(x)) }),
		mathMethod("log10", "Logarithm to base 10.", func(x float64) starlark.Value { return starlark.Float(math.Log10(x)) }),
	},
}

var timeModule = methodTable[*Env]{
	Name:      "time",
	Elsewhere: timeModuleElsewhere,
	Doc:       "Times and durations of Starlark's time library. time.now is there only with --allow=clock, so that a script gives the same result every time.",
}

var jsonModule = methodTable[*Env]{
	Name: "json",
	Doc:  "encode, decode, encode_indent and indent of Starlark's json library. Tables, samples and spans encode too.",
}

// newMath, newTime and newJSON put the language's libraries behind modules that know the run.
func newMath(e *Env) *Module {
	return &Module{env: e, table: &mathModule, extra: starmath.Module.Members}
}

func newTime(e *Env) *Module {
	m := &Module{env: e, table: &timeModule, extra: maps.Clone(startime.Module.Members)}
	m.extra["time"] = starlark.NewBuiltin("time", timeOf)
	if !e.Clock {
		m.gone = map[string]string{"now": "needs --allow=clock: without it a script gives the same result every time"}
	}
	return m
}

// timeOf is time.time of the language's library, which without arguments would be a moment before the year 0: who writes that wants the clock.
func timeOf(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) == 0 && len(kwargs) == 0 {
		return nil, errors.New("time.time(year = …, month = …) makes a time of its parts; time.now() reads the clock, with --allow=clock")
	}
	return starlark.Call(thread, startime.Module.Members["time"], args, kwargs)
}

func newJSON(e *Env) *Module {
	extra := starlark.StringDict{}
	for name, f := range json.Module.Members {
		extra[name] = e.boundedJSON(f.(*starlark.Builtin))
	}
	return &Module{env: e, table: &jsonModule, extra: extra}
}

var assertModule = methodTable[*Env]{
	Name: "assert",
	Doc:  "Checks for test files (*_test.star). A check that does not hold ends the test.",
	Methods: []method[*Env]{
		{Sig: "eq(got, want)", Doc: "got == want.", Example: "assert.eq(1 + 1, 2)",
			Run: func(e *Env, c *call) (starlark.Value, error) {
				same, err := guardedEqual(syntax.EQL, c.value(0), c.value(1), starlark.CompareLimit)
				if err != nil {
					return nil, err
				}
				if !same {
					return nil, fmt.Errorf("got %s, want %s", c.value(0), c.value(1))
				}
				return starlark.None, nil
			}},
		{Sig: "ne(got, other)", Doc: "got != other.", Example: "assert.ne(1, 2)",
			Run: func(e *Env, c *call) (starlark.Value, error) {
				same, err := guardedEqual(syntax.NEQ, c.value(0), c.value(1), starlark.CompareLimit)
				if err != nil {
					return nil, err
				}
				if same {
					return nil, fmt.Errorf("both are %s", c.value(0))
				}
				return starlark.None, nil
			}},
		{Sig: "true(cond, msg: str=None)", Doc: "cond is true.", Example: "assert.true(2 > 1)",
			Run: func(e *Env, c *call) (starlark.Value, error) {
				if !c.value(0).Truth() {
					return nil, errors.New(c.str(1, fmt.Sprintf("%s is not true", c.value(0))))
				}
				return starlark.None, nil
			}},
		{Sig: "contains(seq, x)", Doc: "x in seq.", Example: "assert.contains([1, 2], 2)",
			Run: func(e *Env, c *call) (starlark.Value, error) {
				in, err := starlark.Binary(syntax.IN, c.value(1), c.value(0))
				if err != nil {
					return nil, err
				}
				if !in.Truth() {
					return nil, fmt.Errorf("%s does not contain %s", c.value(0), c.value(1))
				}
				return starlark.None, nil
			}},
		{Sig: "near(got: number|None, want: number|None, rel: number=1e-9, abs: number=0)", Doc: "got and want differ by at most rel of the larger, or by abs. None is near None only.", Example: "assert.near(0.1 + 0.2, 0.3)",
			Run: func(e *Env, c *call) (starlark.Value, error) { return starlark.None, near(c) }},
		{Sig: "golden(name: str, got)", Doc: "got is the text of the file testdata/NAME beside the test file; what is no str counts as str(got). astrolabe test --update writes the file.", Example: "assert.golden(\"summary.txt\", cap.summary().text())",
			Run: func(e *Env, c *call) (starlark.Value, error) {
				if e.Golden == nil {
					return nil, errors.New("golden files are for astrolabe test")
				}
				got, ok := starlark.AsString(c.value(1))
				if !ok {
					got = c.value(1).String()
				}
				return starlark.None, e.Golden(c.str(0, ""), got)
			}},
		{Sig: "fails(f: function, pattern: str)", Doc: "Calling f fails with an error that matches the regular expression.", Example: "assert.fails(lambda: [][1], \"out of range\")",
			Run: func(e *Env, c *call) (starlark.Value, error) {
				text := c.str(1, "")
				if len(text) > mostPattern {
					return nil, fmt.Errorf("parameter pattern: %d bytes are too long for a regular expression; the most are %d", len(text), mostPattern)
				}
				pattern, err := regexp.Compile(text)
				if err != nil {
					return nil, fmt.Errorf("parameter pattern: %w", err)
				}
				_, err = try(c.thread, c.args[0])
				switch {
				case err == nil:
					return nil, fmt.Errorf("it succeeded; want an error that matches %q", pattern)
				case e.Context().Err() != nil:
					return nil, err
				}
				// It takes the product of both lengths in steps, some of them minutes.
				matches, stopped := await(e.Context(), func() (bool, error) { return pattern.MatchString(err.Error()), nil })
				if stopped != nil {
					return nil, stopped
				}
				if !matches {
					return nil, fmt.Errorf("the error %q does not match %q", err, pattern)
				}
				return starlark.None, nil
			}},
	},
}

// try calls f and turns a guard's panic into its error too.
func try(thread *starlark.Thread, f starlark.Value) (v starlark.Value, err error) {
	defer Recover(&err)
	return starlark.Call(thread, f, nil, nil)
}

func near(c *call) error {
	got, want := numberOrNaN(c.args[0]), numberOrNaN(c.args[1])
	if c.args[0] == starlark.None || c.args[1] == starlark.None {
		if c.args[0] != c.args[1] {
			return fmt.Errorf("got %s, want %s", c.args[0], c.args[1])
		}
		return nil
	}
	if got == want || (got != got && want != want) {
		return nil
	}
	tolerance := max(c.float(2, 1e-9)*max(math.Abs(got), math.Abs(want)), c.float(3, 0))
	if d := math.Abs(got - want); !(d <= tolerance) || math.IsInf(got, 0) || math.IsInf(want, 0) {
		return fmt.Errorf("got %v, want %v: they differ by %.3g, allowed is %.3g", c.args[0], c.args[1], d, tolerance)
	}
	return nil
}
