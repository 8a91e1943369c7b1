package notation

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
)

// maxFieldWidth bounds the width and precision of a format, so that a script cannot ask for gigabytes of blanks.
const maxFieldWidth = 1 << 12

// FormatText fills in a format such as "%-8s %.2f": %d %x %o %b whole numbers, %f %e %g numbers, %s text, %r as it
// would be written in code, %% a percent sign. Flags are - + 0 space and , (groups of thousands).
func FormatText(format string, args []starlark.Value) (string, error) {
	var b strings.Builder
	next := 0
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		spec, n, err := parseSpec(format[i+1:])
		if err != nil {
			return "", err
		}
		i += n
		if spec.verb == '%' {
			b.WriteByte('%')
			continue
		}
		if next >= len(args) {
			return "", fmt.Errorf("the format %q needs more than the %d values given", format, len(args))
		}
		s, err := spec.apply(args[next])
		if err != nil {
			return "", fmt.Errorf("value %d: %w", next+1, err)
		}
		next++
		b.WriteString(s)
	}
	if next < len(args) {
		return "", fmt.Errorf("the format %q takes %d values, got %d", format, next, len(args))
	}
	return b.String(), nil
}

type spec struct {
	minus, plus, space, zero, comma bool
	width, precision                int // -1 is not given
	verb                            byte
}

// parseSpec reads what follows a percent sign and returns its length.
func parseSpec(s string) (spec, int, error) {
	f := spec{width: -1, precision: -1}
	i := 0
flags:
	for ; i < len(s); i++ {
		switch s[i] {
		case '-':
			f.minus = true
		case '+':
			f.plus = true
		case ' ':
			f.space = true
		case '0':
			f.zero = true
		case ',':
			f.comma = true
		default:
			break flags
		}
	}
	number := func() (int, error) {
		from := i
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		if i == from {
			return 0, nil
		}
		n, err := strconv.Atoi(s[from:i])
		if err != nil || n > maxFieldWidth {
			return 0, fmt.Errorf("%%%s: widths go up to %d", s[:i], maxFieldWidth)
		}
		return n, nil
	}
	if i < len(s) && s[i] >= '1' && s[i] <= '9' {
		n, err := number()
		if err != nil {
			return f, 0, err
		}
		f.width = n
	}
	if i < len(s) && s[i] == '.' {
		i++
		n, err := number()
		if err != nil {
			return f, 0, err
		}
		f.precision = n
	}
	if i >= len(s) {
		return f, 0, errors.New("the format ends inside a %; write %% for a percent sign")
	}
	f.verb = s[i]
	if strings.IndexByte("dxXobfeEgGsr%", f.verb) < 0 {
		return f, 0, fmt.Errorf("%%%c is no format: there are %%d %%x %%f %%e %%g %%s %%r and %%%%", f.verb)
	}
	return f, i + 1, nil
}

func (f spec) apply(v starlark.Value) (string, error) {
	switch f.verb {
	case 's', 'r':
		s, ok := starlark.AsString(v)
		if !ok || f.verb == 'r' {
			s = v.String()
		}
		if f.precision >= 0 {
			if r := []rune(s); len(r) > f.precision {
				s = string(r[:f.precision])
			}
		}
		return f.pad(s), nil
	}
	if v == starlark.None {
		return f.pad("None"), nil
	}
	var digits string
	neg := false
	switch f.verb {
	case 'd', 'x', 'X', 'o', 'b':
		n, err := WholeNumber(v)
		if err != nil {
			return "", fmt.Errorf("%%%c: %w", f.verb, err)
		}
		neg = n.Sign() < 0
		base := map[byte]int{'d': 10, 'x': 16, 'X': 16, 'o': 8, 'b': 2}[f.verb]
		digits = new(big.Int).Abs(n).Text(base)
		if f.verb == 'X' {
			digits = strings.ToUpper(digits)
		}
	default:
		x, ok := starlark.AsFloat(v)
		if !ok {
			return "", fmt.Errorf("%%%c: got %s, want a number", f.verb, v.Type())
		}
		neg = x < 0 || (x == 0 && math.Signbit(x))
		p := f.precision
		if p < 0 && f.verb != 'g' && f.verb != 'G' {
			p = 6
		}
		digits = strconv.FormatFloat(math.Abs(x), f.verb, p, 64)
	}
	if f.comma {
		digits = groupThousands(digits)
	}
	sign := ""
	switch {
	case neg:
		sign = "-"
	case f.plus:
		sign = "+"
	case f.space:
		sign = " "
	}
	if f.zero && !f.minus {
		if n := f.width - len(sign) - len(digits); n > 0 {
			digits = strings.Repeat("0", n) + digits
		}
	}
	return f.pad(sign + digits), nil
}

func WholeNumber(v starlark.Value) (*big.Int, error) {
	switch v := v.(type) {
	case starlark.Int:
		return v.BigInt(), nil
	case starlark.Float:
		if math.IsInf(float64(v), 0) || math.IsNaN(float64(v)) {
			return nil, fmt.Errorf("%v is no whole number", v)
		}
		n, _ := big.NewFloat(math.RoundToEven(float64(v))).Int(nil)
		return n, nil
	}
	return nil, fmt.Errorf("got %s, want a number", v.Type())
}

func groupThousands(s string) string {
	end := strings.IndexAny(s, ".e")
	if end < 0 {
		end = len(s)
	}
	for i := end - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func (f spec) pad(s string) string {
	if f.minus {
		return Pad(s, f.width)
	}
	return lack(s, f.width) + s
}
