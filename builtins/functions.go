package builtins

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/notation"
	"astrolabe/builtins/values"
	"astrolabe/capture"
	"astrolabe/plots/canvas"
)

// functions are the predeclared names that are functions.
var functions = binding.MethodTable[*binding.Env]{
	Doc: "Predeclared functions.",
	Methods: []binding.Method[*binding.Env]{
		{Sig: "explain(x, sample: int=None) -> str",
			Doc: "Why a value is what it is: the formula, its operands with their values, where each came from, " +
				"and why it is missing. Of a counter the total, or one sample.",
			Example: "print(explain(cap.metric(\"TCP Cache Performance/Hit Rate\")))", Run: explain},
		{Sig: "help(x=None) -> str", Doc: "Documentation of any value, module or name.",
			Example: "print(help(\"Counter.rolling\"))", Run: help},
		{Sig: "flags(**declared) -> struct",
			Doc: "Declares the script's typed command-line flags and reads them: name=default, or name=(default, " +
				"help). The fields of the result are their values; args holds the other arguments. --help prints them.",
			Example: "flags(threshold=(5.0, \"percent\"), verbose=False).threshold", Run: flags},
		{Sig: "fail(*reasons, sep: str=\" \")",
			Doc: "Stops the script with a message; the process exits 1 with a traceback.",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				var parts []string
				for _, r := range c.Rest {
					s, ok := starlark.AsString(r)
					if !ok {
						s = r.String()
					}
					parts = append(parts, s)
				}
				return nil, &binding.FailError{Msg: strings.Join(parts, c.Str("sep", " "))}
			}},
		values.AccountMethod,
		{Sig: "attempt(what: str, f: function, otherwise=None) -> any",
			Doc: "Calls f() and returns what it returns. In a page that a shipped script fills an error in f does " +
				"not end it: the page says that it lacks what, such as \"the table of phases\", and why, and " +
				"otherwise is returned. Everywhere else, in tests too, the error ends the script: a mistake is to be " +
				"seen. fail() always does.",
			Example: "attempt(\"the sum\", lambda: 1 + 2)", Run: attempt},
		{Sig: "fmt(format: str, *values) -> str",
			Doc: "Fills in a format: %d %x whole numbers, %f %e %g numbers, %s text, %r as in code, %% a percent " +
				"sign, with width, precision and the flags - + 0 and , (thousands), such as \"%-8s %8.2f %,d\".",
			Example: "fmt(\"%.2f %s\", 3.14159, \"rad\")",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				s, err := notation.FormatText(c.Str("format", ""), c.Rest)
				return starlark.String(s), err
			}},
		{Sig: "si(x: number|None, unit: str=\"\") -> str",
			Doc: "A number with its unit, scaled to four significant figures: bytes in KiB and MiB, everything " +
				"else in k, M, G or m, u, n. None is \"missing\".",
			Example: "si(93142000000, \"bytes/s\")",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				return starlark.String(notation.Quantity(binding.NumberOrNaN(c.Arg("x")), c.Str("unit", ""))), nil
			}},
		{Sig: "percent(x: number|None, digits: int=None) -> str",
			Doc: "A share as percent: 0.953 is \"95.3 %\". Four significant figures, or that many decimals. None " +
				"is \"missing\".",
			Example: "percent(0.953)",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				x := binding.NumberOrNaN(c.Arg("x")) * 100
				digits, err := c.Integer("digits", 0)
				if err != nil {
					return nil, err
				}
				if !c.Has("digits") || x != x {
					return starlark.String(notation.Quantity(x, "percent")), nil
				}
				s, err := notation.FormatText(fmt.Sprintf("%%.%df %%%%", min(max(digits, 0), 30)),
					[]starlark.Value{starlark.Float(x)})
				return starlark.String(s), err
			}},
		{Sig: "sum(seq: list|Counter, start: number=0) -> number",
			Doc:     "Sum of numbers, exact for integers; None is skipped. A Counter gives its sum.",
			Example: "sum([1, 2.5, None])", Run: sum},
		{Sig: "round(x: number|None, n: int=None) -> number",
			Doc: "Nearest int, or nearest number with n decimals; halves go to the even neighbour. None stays " +
				"None.",
			Example: "round(2.675, 1)", Run: round},
		{Sig: "any(seq) -> bool", Doc: "Whether some element is true. A Counter or Mask has a method for it.",
			Example: "any([False, True])",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				return truths(c.Value("seq"), true)
			}},
		{Sig: "all(seq) -> bool", Doc: "Whether every element is true. A Counter or Mask has a method for it.",
			Example: "all([True, True])",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				return truths(c.Value("seq"), false)
			}},
		{Sig: "read(path: str) -> str", Doc: "Content of a text file that the run may read.",
			Example: "read(\"notes.txt\")", Run: readFile},
		{Sig: "write(path: str, text: str)", Doc: "Writes a text file where the run may write.",
			Example: "write(\"notes.txt\", \"seen\\n\")", Run: writeFile},
	},
}

// truths is any (want true) or all (want false) of a sequence.
func truths(v starlark.Value, want bool) (starlark.Value, error) {
	if c, ok := v.(*values.Counter); ok {
		return nil, fmt.Errorf(
			"a Counter is not a sequence of bools: compare it with a method, such as c.gt(5).any() or c.gt(5).all() (Counter %s)",
			c.Counter.Name)
	}
	if _, ok := v.(*values.Mask); ok {
		return nil, errors.New("a Mask is not a sequence of bools: use m.any() or m.all()")
	}
	if _, ok := v.(starlark.Iterable); !ok {
		return nil, fmt.Errorf("got %s, want a list or another sequence", v.Type())
	}
	found := false
	iter := v.(starlark.Iterable).Iterate()
	defer iter.Done()
	for x := starlark.Value(nil); !found && iter.Next(&x); {
		found = bool(x.Truth()) == want
	}
	return starlark.Bool(found == want), nil
}

func sum(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	if ctr, ok := c.Arg("seq").(*values.Counter); ok && !c.Has("start") {
		v, err := binding.AwaitValues(e.Context(), ctr.Counter, func() (capture.Value, error) { return ctr.Counter.Sum(), nil })
		return binding.Number(v), err
	}
	whole := new(big.Int)
	fraction, lost := 0.0, 0.0 // the rounding errors are summed apart (Neumaier)
	floats := false
	add := func(v starlark.Value) error {
		switch v := v.(type) {
		case starlark.NoneType:
		case starlark.Int:
			whole.Add(whole, v.BigInt())
		case starlark.Float:
			floats = true
			x := float64(v)
			t := fraction + x
			if math.Abs(fraction) >= math.Abs(x) {
				lost += (fraction - t) + x
			} else {
				lost += (x - t) + fraction
			}
			fraction = t
		default:
			return fmt.Errorf("got %s, want a number or None", v.Type())
		}
		return nil
	}
	if err := add(c.Value("start")); err != nil {
		return nil, err
	}
	if err := binding.Each(c.Arg("seq"), add); err != nil {
		return nil, err
	}
	if !floats {
		return starlark.MakeBigInt(whole), nil
	}
	f, _ := new(big.Float).SetInt(whole).Float64()
	if math.IsInf(fraction, 0) || math.IsNaN(lost) {
		lost = 0
	}
	return starlark.Float(fraction + lost + f), nil
}

func round(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	if c.Arg("x") == starlark.None {
		return starlark.None, nil
	}
	n, err := c.Integer("n", 0)
	if err != nil {
		return nil, err
	}
	if i, ok := c.Arg("x").(starlark.Int); ok && n >= 0 {
		return i, nil
	}
	x, _ := starlark.AsFloat(c.Arg("x"))
	if math.IsNaN(x) || math.IsInf(x, 0) {
		if c.Has("n") {
			return starlark.Float(x), nil
		}
		return nil, fmt.Errorf("%v has no nearest integer", x)
	}
	if !c.Has("n") {
		b, err := notation.WholeNumber(starlark.Float(x))
		if err != nil {
			return nil, err
		}
		return starlark.MakeBigInt(b), nil
	}
	if n < 0 {
		p := math.Pow10(-max(n, -308))
		x = math.RoundToEven(x/p) * p
		if _, ok := c.Arg("x").(starlark.Int); ok {
			return binding.Integral(x), nil
		}
		return starlark.Float(x), nil
	}
	// Decimal text rounds correctly where multiplying by a power of ten would not.
	r, _, err := big.ParseFloat(big.NewFloat(x).Text('f', min(n, 400)), 10, 53, big.ToNearestEven)
	if err != nil {
		return nil, err
	}
	f, _ := r.Float64()
	return starlark.Float(f), nil
}

// maxText is the largest text file that read takes.
const maxText = 64 << 20

func readFile(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	if e.Files == nil {
		return nil, errors.New("this session has no access to files")
	}
	path := c.Str("path", "")
	f, err := e.Files.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := binding.Await(e.Context(), func() ([]byte, error) { return io.ReadAll(io.LimitReader(f, maxText+1)) })
	if err != nil {
		return nil, err
	}
	if len(data) > maxText {
		return nil, fmt.Errorf("%s is larger than %d MiB: open it as a capture, or take less of it", path, maxText>>20)
	}
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("%s is not text in UTF-8", path)
	}
	return starlark.String(data), nil
}

func writeFile(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	path, err := e.Output(c.Str("path", ""))
	if err != nil {
		return nil, err
	}
	w, err := canvas.Files(path)
	if err != nil {
		return nil, err
	}
	if _, err := io.WriteString(w, c.Str("text", "")); err != nil {
		w.Close()
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	e.Written(path)
	return starlark.None, nil
}
