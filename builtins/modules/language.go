package modules

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"

	"go.starlark.net/lib/json"
	starmath "go.starlark.net/lib/math"
	startime "go.starlark.net/lib/time"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/guards"
)

// mostPattern is how long a regular expression may be, in bytes: reading one takes thousands of times its length.
const mostPattern = 64 << 10

// mathMethod is a function of one number. NaN as a result is a result here, as in any math library; None is no
// argument.
func mathMethod(name, doc string, f func(x float64) starlark.Value) binding.Method[*binding.Env] {
	return binding.Method[*binding.Env]{Sig: name + "(x: number)", Doc: doc, Example: "math." + name + "(8)",
		Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) { return f(c.Float("x", 0)), nil }}
}

var mathModule = binding.MethodTable[*binding.Env]{
	Name: "math",
	Doc: "Mathematical functions and constants of Starlark's math library, with nan, inf, isnan, isinf, log2 and " +
		"log10.",
	Attrs: []binding.Attribute[*binding.Env]{
		{Name: "nan", Type: "float", Doc: "Not a number.", Get: func(*binding.Env) starlark.Value {
			return starlark.Float(math.NaN())
		}},
		{Name: "inf", Type: "float", Doc: "Infinity.", Get: func(*binding.Env) starlark.Value {
			return starlark.Float(math.Inf(1))
		}},
	},
	Methods: []binding.Method[*binding.Env]{
		{Sig: "isnan(x: number|None) -> bool", Doc: "Whether x is not a number, or None.",
			Example: "math.isnan(math.nan)",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				return starlark.Bool(math.IsNaN(binding.NumberOrNaN(c.Arg("x")))), nil
			}},
		mathMethod("isinf", "Whether x is infinite.", func(x float64) starlark.Value {
			return starlark.Bool(math.IsInf(x, 0))
		}),
		mathMethod("log2", "Logarithm to base 2.", func(x float64) starlark.Value {
			return starlark.Float(math.Log2(x))
		}),
		mathMethod("log10", "Logarithm to base 10.", func(x float64) starlark.Value {
			return starlark.Float(math.Log10(x))
		}),
	},
}

var timeModule = binding.MethodTable[*binding.Env]{
	Name: "time",
	Doc: "Times and durations of Starlark's time library. time.now is there only with --allow=clock, so that a " +
		"script gives the same result every time.",
}

var jsonModule = binding.MethodTable[*binding.Env]{
	Name: "json",
	Doc:  "encode, decode, encode_indent and indent of Starlark's json library. Tables, samples and spans encode too.",
}

// newMath, newTime and newJSON put the language's libraries behind modules that know the run.
func newMath(e *binding.Env) *binding.Module {
	return &binding.Module{Env: e, Table: &mathModule, Extra: starmath.Module.Members}
}

func newTime(e *binding.Env) *binding.Module {
	m := &binding.Module{Env: e, Table: &timeModule, Extra: maps.Clone(startime.Module.Members)}
	m.Extra["time"] = starlark.NewBuiltin("time", timeOf)
	if !e.Clock {
		m.Gone = map[string]string{"now": "needs --allow=clock: without it a script gives the same result every time"}
	}
	return m
}

// timeOf is time.time of the language's library, which without arguments would be a moment before the year 0: who
// writes that wants the clock.
func timeOf(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) == 0 && len(kwargs) == 0 {
		return nil, errors.New(
			"time.time(year = …, month = …) makes a time of its parts; time.now() reads the clock, with --allow=clock")
	}
	return starlark.Call(thread, startime.Module.Members["time"], args, kwargs)
}

func newJSON(e *binding.Env) *binding.Module {
	extra := starlark.StringDict{}
	for name, f := range json.Module.Members {
		extra[name] = guards.BoundedJSON(e, f.(*starlark.Builtin))
	}
	return &binding.Module{Env: e, Table: &jsonModule, Extra: extra}
}

var assertModule = binding.MethodTable[*binding.Env]{
	Name: "assert",
	Doc:  "Checks for test files (*_test.star). A check that does not hold ends the test.",
	Methods: []binding.Method[*binding.Env]{
		{Sig: "eq(got, want)", Doc: "got == want.", Example: "assert.eq(1 + 1, 2)",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				same, err := guards.Equal(syntax.EQL, c.Value("got"), c.Value("want"), starlark.CompareLimit)
				if err != nil {
					return nil, err
				}
				if !same {
					return nil, fmt.Errorf("got %s, want %s", c.Value("got"), c.Value("want"))
				}
				return starlark.None, nil
			}},
		{Sig: "ne(got, other)", Doc: "got != other.", Example: "assert.ne(1, 2)",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				same, err := guards.Equal(syntax.NEQ, c.Value("got"), c.Value("other"), starlark.CompareLimit)
				if err != nil {
					return nil, err
				}
				if same {
					return nil, fmt.Errorf("both are %s", c.Value("got"))
				}
				return starlark.None, nil
			}},
		{Sig: "true(cond, msg: str=None)", Doc: "cond is true.", Example: "assert.true(2 > 1)",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				if !c.Value("cond").Truth() {
					return nil, errors.New(c.Str("msg", fmt.Sprintf("%s is not true", c.Value("cond"))))
				}
				return starlark.None, nil
			}},
		{Sig: "contains(seq, x)", Doc: "x in seq.", Example: "assert.contains([1, 2], 2)",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				in, err := starlark.Binary(syntax.IN, c.Value("x"), c.Value("seq"))
				if err != nil {
					return nil, err
				}
				if !in.Truth() {
					return nil, fmt.Errorf("%s does not contain %s", c.Value("seq"), c.Value("x"))
				}
				return starlark.None, nil
			}},
		{Sig: "near(got: number|None, want: number|None, rel: number=1e-9, abs: number=0)",
			Doc:     "got and want differ by at most rel of the larger, or by abs. None is near None only.",
			Example: "assert.near(0.1 + 0.2, 0.3)",
			Run:     func(e *binding.Env, c *binding.Call) (starlark.Value, error) { return starlark.None, near(c) }},
		{Sig: "golden(name: str, got)",
			Doc: "got is the text of the file testdata/NAME beside the test file; what is no str counts as " +
				"str(got). astrolabe test --update writes the file.",
			Example: "assert.golden(\"summary.txt\", cap.summary().text())",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				if e.Golden == nil {
					return nil, errors.New("golden files are for astrolabe test")
				}
				got, ok := starlark.AsString(c.Value("got"))
				if !ok {
					got = c.Value("got").String()
				}
				return starlark.None, e.Golden(c.Str("name", ""), got)
			}},
		{Sig: "fails(f: function, pattern: str)",
			Doc:     "Calling f fails with an error that matches the regular expression.",
			Example: "assert.fails(lambda: [][1], \"out of range\")",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				text := c.Str("pattern", "")
				if len(text) > mostPattern {
					return nil, fmt.Errorf(
						"parameter pattern: %d bytes are too long for a regular expression; the most are %d",
						len(text), mostPattern)
				}
				pattern, err := regexp.Compile(text)
				if err != nil {
					return nil, fmt.Errorf("parameter pattern: %w", err)
				}
				_, err = called(c.Thread, c.Arg("f"))
				switch {
				case err == nil:
					return nil, fmt.Errorf("it succeeded; want an error that matches %q", pattern)
				case e.Context().Err() != nil:
					return nil, err
				}
				// It takes the product of both lengths in steps, some of them minutes.
				matches, stopped := binding.Await(e.Context(), func() (bool, error) {
					return pattern.MatchString(err.Error()), nil
				})
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

// called calls f and turns a guard's panic into its error too.
func called(thread *starlark.Thread, f starlark.Value) (v starlark.Value, err error) {
	defer guards.Recover(&err)
	return starlark.Call(thread, f, nil, nil)
}

func near(c *binding.Call) error {
	got, want := binding.NumberOrNaN(c.Arg("got")), binding.NumberOrNaN(c.Arg("want"))
	if c.Arg("got") == starlark.None || c.Arg("want") == starlark.None {
		if c.Arg("got") != c.Arg("want") {
			return fmt.Errorf("got %s, want %s", c.Arg("got"), c.Arg("want"))
		}
		return nil
	}
	if got == want || (got != got && want != want) {
		return nil
	}
	tolerance := max(c.Float("rel", 1e-9)*max(math.Abs(got), math.Abs(want)), c.Float("abs", 0))
	if d := math.Abs(got - want); !(d <= tolerance) || math.IsInf(got, 0) || math.IsInf(want, 0) {
		return fmt.Errorf("got %v, want %v: they differ by %.3g, allowed is %.3g", c.Arg("got"),
			c.Arg("want"), d, tolerance)
	}
	return nil
}
