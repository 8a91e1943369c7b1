package budget

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func parse(t *testing.T, text string) *Budget {
	t.Helper()
	b, err := Parse("b.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestEveryKeyIsRead(t *testing.T) {
	b := parse(t, `title = "T"
gpu = "cpu"

[[limit]]
name = "n"
metric = "m"
max = "80GB/s"
min = 1.5
per = "region"
of = ["a*", "b"]
statistic = "p99"
missing = "skip"
why = "w"

[[limit]]
expr = "a + b"
unit = "percent"
max = 7
per = "frame"
allow = "1.5%"

[[limit]]
metric = "m"
min = -2
per = "kernel"
of = "mul"
allow = 3
`)
	if b.Title != "T" || b.GPU != "cpu" || len(b.Limits) != 3 || len(b.Hash) != 64 {
		t.Fatalf("%+v", b)
	}
	l := b.Limits[0]
	if l.Name != "n" || l.Metric != "m" || l.Max != "80GB/s" || l.Min != "1.5" || l.Per != "region" ||
		!slices.Equal(l.Of, []string{"a*", "b"}) ||
		l.Statistic != "p99" || !l.Skip || l.Why != "w" || l.Line != 4 {
		t.Errorf("first limit: %+v", l)
	}
	l = b.Limits[1]
	if l.Expr != "a + b" || l.Unit != "percent" || l.Max != "7" || l.Min != "" || l.Per != "frame" || l.Skip ||
		l.Allow != (Allowance{Percent: 1.5, Share: true}) || l.Line != 15 {
		t.Errorf("second limit: %+v", l)
	}
	l = b.Limits[2]
	if l.Min != "-2" || l.Per != "kernel" || !slices.Equal(l.Of, []string{"mul"}) || l.Allow != (Allowance{Count: 3}) ||
		l.Label() != "m" {
		t.Errorf("third limit: %+v", l)
	}
	if got := parse(t, "limit = [{metric = 'm', max = 1, statistic = 'every'}]").Limits[0]; got.Per != perTotal ||
		got.Statistic != "" || got.Line != 1 {
		t.Errorf("inline limit: %+v", got)
	}
}

func TestMistakesNameTheirLine(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"syntax", "a = 1\nb = = 2", "b.toml:2: "},
		{"a key given twice", "[[limit]]\nmetric = 'm'\nmax = 1\nmax = 2", "b.toml:4: "},
		{"no limit", "title = 'x'", "b.toml:1: there is no [[limit]]"},
		{"an empty list", "limit = []", "there is no [[limit]]"},
		{"limit is a table", "\n[limit]\nmetric = 'm'", "b.toml:2: limit is a table"},
		{"limit is a number", "\nlimit = 3", "b.toml:2: limit is the number 3"},
		{"limit holds numbers", "limit = [3]", "b.toml:1: limit is the number 3"},
		{"unknown key on top", "titel = 'x'\n[[limit]]\nmetric = 'm'\nmax = 1",
			`b.toml:1: unknown key "titel" (did you mean title?)`},
		{"unknown key", "[[limit]]\nmetric = 'm'\nmaximum = 1\nmax = 1", `b.toml:3: unknown key "maximum"`},
		{"unknown key of the second", "[[limit]]\nmetric = 'm'\nmax = 1\n\n[[limit]]\nmetric = 'm'\nmax = 1\nxyz = 1",
			`b.toml:8: unknown key "xyz"; there are metric`},
		{"unknown key of an inline limit", "limit = [\n {metric = 'm', max = 1},\n {metric = 'm', max = 1, foo = 1}]",
			`b.toml:3: unknown key "foo"`},
		{"unknown table", "[[limit]]\nmetric = 'm'\nmax = 1\n[other]\nx = 1", `b.toml:4: unknown key "other"`},
		{"a table in a limit", "[[limit]]\nmetric = 'm'\nmax = 1\n[limit.deep]\nx = 1", `unknown key "deep"`},
		{"metric is a number", "[[limit]]\nmetric = 3\nmax = 1", "b.toml:2: metric is the number 3: it must be a text"},
		{"metric is empty", "[[limit]]\nmetric = ' '\nmax = 1", "b.toml:2: metric is empty"},
		{"no metric", "\n[[limit]]\nmax = 1", "b.toml:2: the limit names no metric"},
		{"metric and expr", "[[limit]]\nmetric = 'm'\nexpr = 'x'\nmax = 1",
			"b.toml:3: a limit has a metric or an expr"},
		{"unit of a metric", "[[limit]]\nmetric = 'm'\nunit = 's'\nmax = 1", "b.toml:3: unit goes with expr"},
		{"no bound", "[[limit]]\nmetric = 'm'", "b.toml:1: the limit has neither max nor min"},
		{"max is true", "[[limit]]\nmetric = 'm'\nmax = true", "b.toml:3: max is true"},
		{"max is a list", "[[limit]]\nmetric = 'm'\nmax = [1]", "b.toml:3: max is a list"},
		{"max is a date", "[[limit]]\nmetric = 'm'\nmax = 1979-05-27", "b.toml:3: max is a date"},
		{"max is nan", "[[limit]]\nmetric = 'm'\nmax = nan", "b.toml:3: max is NaN"},
		{"min is inf", "[[limit]]\nmetric = 'm'\nmin = -inf", "b.toml:3: min is -Inf"},
		{"unknown statistic", "[[limit]]\nmetric = 'm'\nmax = 1\nper = 'frame'\nstatistic = 'p101'",
			`b.toml:5: unknown statistic "p101"`},
		{"unknown missing", "[[limit]]\nmetric = 'm'\nmax = 1\nmissing = 'ignore'", `b.toml:4: missing is "ignore"`},
		{"of a total", "[[limit]]\nmetric = 'm'\nmax = 1\nof = 'x'", "b.toml:4: of selects regions"},
		{"of frames", "[[limit]]\nmetric = 'm'\nmax = 1\nper = 'frame'\nof = 'x'", "says nothing per frame"},
		{"of holds numbers", "[[limit]]\nmetric = 'm'\nmax = 1\nper = 'region'\nof = [1]",
			"b.toml:5: of holds the number 1"},
		{"of is empty", "[[limit]]\nmetric = 'm'\nmax = 1\nper = 'region'\nof = []", "b.toml:5: of is empty"},
		{"allow for a total", "[[limit]]\nmetric = 'm'\nmax = 1\nallow = 1", "b.toml:4: allow is for limits"},
		{"allow for a statistic", "[[limit]]\nmetric = 'm'\nmax = 1\nper = 'frame'\nstatistic = 'mean'\nallow = 1",
			"b.toml:6: allow is for limits"},
		{"statistic of a total", "[[limit]]\nmetric = 'm'\nmax = 1\nstatistic = 'mean'",
			"b.toml:4: a total is one number"},
		{"negative allow", "[[limit]]\nmetric = 'm'\nmax = 1\nper = 'frame'\nallow = -1", "b.toml:5: allow is -1"},
		{"allow beyond all", "[[limit]]\nmetric = 'm'\nmax = 1\nper = 'frame'\nallow = '101%'",
			"b.toml:5: allow is 101%"},
		{"allow without a sign", "[[limit]]\nmetric = 'm'\nmax = 1\nper = 'frame'\nallow = '1'",
			"b.toml:5: allow is 1"},
		{"allow is a fraction", "[[limit]]\nmetric = 'm'\nmax = 1\nper = 'frame'\nallow = 0.01",
			"b.toml:5: allow is 0.01"},
	} {
		_, err := Parse("b.toml", []byte(c.text))
		var at *Error
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.As(err, &at) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestAllMistakesOfAFileAreListedByLine(t *testing.T) {
	_, err := Parse("b.toml", []byte("[[limit]]\nmetric = 3\nmax = true\n[[limit]]\nx = 1\n"))
	var got []string
	for _, l := range strings.Split(err.Error(), "\n") {
		got = append(got, strings.Split(l, ":")[1])
	}
	if want := []string{"2", "3", "4", "4", "5"}; !slices.Equal(got, want) {
		t.Errorf("mistakes in the lines %q, want %q: %v", got, want, err)
	}
}

func TestSharesOfAllowAreRoundedDown(t *testing.T) {
	for _, c := range []struct {
		allow   Allowance
		n, want int
	}{
		{Allowance{}, 100, 0}, {Allowance{Count: 3}, 2, 3}, {Allowance{Percent: 1, Share: true}, 100, 1},
		{Allowance{Percent: 1, Share: true}, 99, 0},
		{Allowance{Percent: 29, Share: true}, 100, 29}, {Allowance{Percent: 0.57, Share: true}, 10000, 57},
		{Allowance{Percent: 100, Share: true}, 7, 7}, {Allowance{Share: true}, 7, 0},
	} {
		if got := c.allow.parts(c.n); got != c.want {
			t.Errorf("%v of %d: %d, want %d", c.allow, c.n, got, c.want)
		}
	}
}
