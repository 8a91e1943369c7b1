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

	"astrolabe/capture"
	"astrolabe/plots"
)

// functions are the predeclared names that are functions.
var functions = methodTable[*Env]{
	Doc: "Predeclared functions.",
	Methods: []method[*Env]{
		{Sig: "explain(x, sample: int=None) -> str", Doc: "Why a value is what it is: the formula, its operands with their values, where each came from, and why it is missing. Of a counter the total, or one sample.",
			Example: "print(explain(cap.metric(\"TCP Cache Performance/Hit Rate\")))", Run: explain},
		{Sig: "help(x=None) -> str", Doc: "Documentation of any value, module or name.", Example: "print(help(\"Counter.rolling\"))", Run: help},
		{Sig: "flags(**declared) -> struct", Doc: "Declares the script's typed command-line flags and reads them: name=default, or name=(default, help). " +
			"The fields of the result are their values; args holds the other arguments. --help prints them.",
			Example: "flags(threshold=(5.0, \"percent\"), verbose=False).threshold", Run: flags},
		{Sig: "fail(*reasons, sep: str=\" \")", Doc: "Stops the script with a message; the process exits 1 with a traceback.",
			Run: func(e *Env, c *call) (starlark.Value, error) {
				var parts []string
				for _, r := range c.rest {
					s, ok := starlark.AsString(r)
					if !ok {
						s = r.String()
					}
					parts = append(parts, s)
				}
				return nil, errNamed{&FailError{strings.Join(parts, c.str(0, " "))}}
			}},
		accountMethod,
		{Sig: "attempt(what: str, f: function, otherwise=None) -> any", Doc: "Calls f() and returns what it returns. In a page that a shipped script fills an error in f does not end it: the page says that it lacks " +
			"what, such as \"the table of phases\", and why, and otherwise is returned. Everywhere else, in tests too, the error ends the script: a mistake is to be seen. fail() always does.",
			Example: "attempt(\"the sum\", lambda: 1 + 2)", Run: attempt},
		{Sig: "fmt(format: str, *values) -> str", Doc: "Fills in a format: %d %x whole numbers, %f %e %g numbers, %s text, %r as in code, %% a percent sign, " +
			"with width, precision and the flags - + 0 and , (thousands), such as \"%-8s %8.2f %,d\".",
			Example: "fmt(\"%.2f %s\", 3.14159, \"rad\")",
			Run: func(e *Env, c *call) (starlark.Value, error) {
				s, err := formatText(c.str(0, ""), c.rest)
				return starlark.String(s), err
			}},
		{Sig: "si(x: number|None, unit: str=\"\") -> str", Doc: "A number with its unit, scaled to four significant figures: bytes in KiB and MiB, everything else in k, M, G or m, u, n. None is \"missing\".",
			Example: "si(93142000000, \"bytes/s\")",
			Run: func(e *Env, c *call) (starlark.Value, error) {
				return starlark.String(quantity(numberOrNaN(c.args[0]), c.str(1, ""))), nil
			}},
		{Sig: "percent(x: number|None, digits: int=None) -> str", Doc: "A share as percent: 0.953 is \"95.3 %\". Four significant figures, or that many decimals. None is \"missing\".",
			Example: "percent(0.953)",
			Run: func(e *Env, c *call) (starlark.Value, error) {
				x := numberOrNaN(c.args[0]) * 100
				digits, err := c.integer(1, 0)
				if err != nil {
					return nil, err
				}
				if !c.has(1) || x != x {
					return starlark.String(quantity(x, "percent")), nil
				}
				s, err := formatText(fmt.Sprintf("%%.%df %%%%", min(max(digits, 0), 30)), []starlark.Value{starlark.Float(x)})
				return starlark.String(s), err
			}},
		{Sig: "sum(seq: list|Counter, start: number=0) -> number", Doc: "Sum of numbers, exact for integers; None is skipped. A Counter gives its sum.", Example: "sum([1, 2.5, None])", Run: sum},
		{Sig: "round(x: number|None, n: int=None) -> number", Doc: "Nearest int, or nearest number with n decimals; halves go to the even neighbour. None stays None.", Example: "round(2.675, 1)", Run: round},
		{Sig: "any(seq) -> bool", Doc: "Whether some element is true. A Counter or Mask has a method for it.", Example: "any([False, True])",
			Run: func(e *Env, c *call) (starlark.Value, error) { return truths(c.value(0), true) }},
		{Sig: "all(seq) -> bool", Doc: "Whether every element is true. A Counter or Mask has a method for it.", Example: "all([True, True])",
			Run: func(e *Env, c *call) (starlark.Value, error) { return truths(c.value(0), false) }},
		{Sig: "read(path: str) -> str", Doc: "Content of a text file that the run may read.", Example: "read(\"notes.txt\")", Run: readFile},
		{Sig: "write(path: str, text: str)", Doc: "Writes a text file where the run may write.", Example: "write(\"notes.txt\", \"seen\\n\")", Run: writeFile},
	},
}

func numberOrNaN(v starlark.Value) float64 {
	if f, ok := starlark.AsFloat(v); ok {
		return f
	}
	return math.NaN()
}

// truths is any (want true) or all (want false) of a sequence.
func truths(v starlark.Value, want bool) (starlark.Value, error) {
	if c, ok := v.(*Counter); ok {
		return nil, fmt.Errorf("a Counter is not a sequence of bools: compare it with a method, such as c.gt(5).any() or c.gt(5).all() (Counter %s)", c.c.Name)
	}
	if _, ok := v.(*Mask); ok {
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

func sum(e *Env, c *call) (starlark.Value, error) {
	if ctr, ok := c.args[0].(*Counter); ok && !c.has(1) {
		v, err := await(e.Context(), func() (capture.Value, error) { return ctr.c.Sum(), nil })
		return number(v), err
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
	if err := add(c.value(1)); err != nil {
		return nil, err
	}
	if err := each(c.args[0], add); err != nil {
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

func round(e *Env, c *call) (starlark.Value, error) {
	if c.args[0] == starlark.None {
		return starlark.None, nil
	}
	n, err := c.integer(1, 0)
	if err != nil {
		return nil, err
	}
	if i, ok := c.args[0].(starlark.Int); ok && n >= 0 {
		return i, nil
	}
	x, _ := starlark.AsFloat(c.args[0])
	if math.IsNaN(x) || math.IsInf(x, 0) {
		if c.has(1) {
			return starlark.Float(x), nil
		}
		return nil, fmt.Errorf("%v has no nearest integer", x)
	}
	if !c.has(1) {
		b, err := wholeNumber(starlark.Float(x))
		if err != nil {
			return nil, err
		}
		return starlark.MakeBigInt(b), nil
	}
	if n < 0 {
		p := math.Pow10(-max(n, -308))
		x = math.RoundToEven(x/p) * p
		if _, ok := c.args[0].(starlark.Int); ok {
			return integral(x), nil
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

func readFile(e *Env, c *call) (starlark.Value, error) {
	if e.Files == nil {
		return nil, errors.New("this session has no access to files")
	}
	path := c.str(0, "")
	f, err := e.Files.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := await(e.Context(), func() ([]byte, error) { return io.ReadAll(io.LimitReader(f, maxText+1)) })
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

func writeFile(e *Env, c *call) (starlark.Value, error) {
	path, err := e.output(c.str(0, ""))
	if err != nil {
		return nil, err
	}
	w, err := plots.Files(path)
	if err != nil {
		return nil, err
	}
	if _, err := io.WriteString(w, c.str(1, "")); err != nil {
		w.Close()
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	e.wrote(path)
	return starlark.None, nil
}
