package builtins_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.starlark.net/starlark"

	"astrolabe/capture/memory"
)

// Each of these made the program end with "runtime: out of memory", or fill the machine.
func TestWhatTakesMoreThanTheMachineHasIsRefused(t *testing.T) {
	for _, src := range []string{
		"list(range(1 << 40))",
		"tuple(range(1 << 40))",
		"sorted(range(1 << 40))",
		"sorted(iterable = range(1 << 40), reverse = True)",
		"reversed(range(1 << 40))",
		"enumerate(range(1 << 40))",
		"zip(range(1 << 40), range(1 << 40))",
		"set(range(1 << 40))",
		"dict(range(1 << 40))",
		"bytes(range(1 << 60))",
		"[1].extend(range(1 << 40))",
		"getattr([1], 'extend')(range(1 << 40))",
		"set().union(range(1 << 40))",
		"print(*range(1 << 40))",
		"(lambda *a: 1)(*range(1 << 40))",
		"('a' * (1 << 20)).replace('a', 'b' * (1 << 28))",
		"('x' * (1 << 29)).join(range(1 << 20))",
		"('{0}' * 100000).format('y' * (1 << 28))",
		"('{}' * 2000).format(*(['y' * (1 << 28)] * 2000))",
		"('{a}' * 100000).format(a = 'y' * (1 << 28))",
		"'%s' * 2000 % tuple(['y' * (1 << 28)] * 2000)",
		"str(['y' * (1 << 28)] * 2000)",
		"repr({1: ['y' * (1 << 28)] * 2000})",
		"json.encode(['y' * (1 << 28)] * 2000)",
		"table.new({'a': range(1 << 40)})",
	} {
		r := newRun(t)
		err := r.exec("p.star", "x = "+src+"\n")
		if !errors.Is(err, memory.ErrLimit) || !strings.Contains(err.Error(), "raise --max-memory") {
			t.Errorf("%s: got %v", src, err)
		}
	}
	for _, src := range []string{"x = [1]\nx += range(1 << 40)", "x = set()\nx |= set(range(1 << 40))"} {
		if err := newRun(t).exec("p.star", src+"\n"); !errors.Is(err, memory.ErrLimit) {
			t.Errorf("%s: got %v", src, err)
		}
	}
}

// A limit that is lower than what the language itself would refuse.
func TestRepeatingAsksForRoom(t *testing.T) {
	memory.SetLimit(256 << 20)
	defer memory.SetLimit(0)
	for _, src := range []string{
		"x = [0] * (1 << 29)", "x = (1 << 29) * [0]", "x = (0,) * (1 << 29)", "x = 'a' * (1 << 29)",
		"n = 1 << 29\na = [0]\nb = a * n",
		"x = [0]\nx *= 1 << 29", "d = {'a': [0]}\nd['a'] *= 1 << 29", "x = bytes('a') * (1 << 29)",
		"a = [[0]]\na[len(a) - 1] *= 1 << 29", "d = {'a': [0]}\n(d['b'[:0] + 'a']) *= 1 << 29",
		"a = [40]\na[int('0')] *= [0] * 4000000",
		"a = ([0],)\na[int('0')] *= 1 << 29", "a = ['%s' * 20]\na[int('0')] %= ('x' * (1 << 24),) * 20",
		"json.decode *= [0] * 300000000",
	} {
		if err := newRun(t).exec("p.star", src+"\n"); !errors.Is(err, memory.ErrLimit) ||
			!strings.Contains(err.Error(), "memory limit 256 MiB reached") {
			t.Errorf("%s: got %v", src, err)
		}
	}
}

func TestWhatIsNestedOrLongForeverIsRefused(t *testing.T) {
	deep := "x = []\nfor i in range(2000):\n    x = [x]\n"
	for src, want := range map[string]string{
		deep + "str(x)":                               "more than 1000 deep",
		deep + "json.encode(x)":                       "more than 1000 deep",
		deep + "'%s' % x":                             "more than 1000 deep",
		"json.decode('[' * 100000)":                   "more than 1000 brackets",
		"json.decode('9' * 400000)":                   "more than 320000 digits",
		"int('9' * 1000000)":                          "the most are 320000",
		"x = 1 << 500\nfor i in range(40):\n  x *= x": "the most are 1048576",
		"json.indent('[1]', indent = ' ' * 1000)":     "more than 64",
	} {
		if err := newRun(t).exec("p.star", src+"\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", src, err, want)
		}
	}
}

func TestALongRegularExpressionIsRefused(t *testing.T) {
	err := newRun(t).exec("p.star", "assert.fails(lambda: fail('x'), '(' * (1 << 20) + ')' * (1 << 20))\n")
	if err == nil || !strings.Contains(err.Error(),
		"2097152 bytes are too long for a regular expression; the most are 65536") {
		t.Errorf("got %.300v", err)
	}
}

// Matching cannot be interrupted, so it goes on alone where the run is stopped.
func TestMatchingAnErrorStopsWithTheRun(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	r := newRun(t)
	r.ctx = ctx
	err := r.exec("p.star", "assert.fails(lambda: fail('x' * (1 << 21)), '(x+x+)+y')\n")
	if err == nil || strings.Contains(err.Error(), "does not match") {
		t.Errorf("got %.300v", err)
	}
}

// walked is a range as far as our functions can tell, which tells when it is being walked and does not end.
type walked struct{ begun func() }

func (walked) String() string               { return "walked" }
func (walked) Type() string                 { return "range" }
func (walked) Freeze()                      {}
func (walked) Truth() starlark.Bool         { return true }
func (walked) Hash() (uint32, error)        { return 0, errors.New("no hash") }
func (walked) Len() int                     { return 100_000_000_000 }
func (w walked) Iterate() starlark.Iterator { return &walk{begun: w.begun} }

type walk struct {
	at    int
	begun func()
}

func (w *walk) Next(p *starlark.Value) bool {
	if w.at++; w.at == 10 {
		w.begun()
	}
	*p = starlark.MakeInt(w.at)
	return true
}

func (*walk) Done() {}

func TestWhatWalksARangeStopsWithTheRun(t *testing.T) {
	for _, src := range []string{"sum(endless)", "all(endless)", "min(endless)", "max(endless)",
		"set([1]).issuperset(endless)", "stats.quantiles(endless, [0.5])"} {
		ctx, cancel := context.WithCancelCause(context.Background())
		r := newRun(t)
		r.ctx = ctx
		stopped := errors.New("stopped by the test")
		r.names["endless"] = walked{func() { cancel(stopped) }}
		if err := r.exec("p.star", "x = "+src+"\n"); !errors.Is(err, stopped) && !errors.Is(err, memory.ErrLimit) {
			t.Errorf("%s: got %v", src, err)
		}
	}
}

func TestGuardedFunctionsAreThoseOfTheLanguage(t *testing.T) {
	r := newRun(t)
	err := r.exec("p.star", `
assert.eq(str(list), "<built-in function list>")
assert.eq(type(list), "builtin_function_or_method")
assert.eq(list(range(100000))[-1], 99999)
assert.eq(len(set(range(20000))), 20000)
assert.eq(sorted([3, 1, 2], reverse = True), [3, 2, 1])
assert.eq(sorted(range(100000), key = lambda x: -x)[0], 99999)
assert.eq(sorted(iterable = ["b", "A"], key = lambda s: s.lower()), ["A", "b"])
assert.eq([(x % 3) for x in sorted(range(20000), key = lambda x: x % 3)][:2], [0, 0])
assert.fails(lambda: sorted([1, "a"]), "not implemented")
assert.fails(lambda: sorted(5), "sorted: for parameter iterable: got int, want iterable")
assert.eq(dict([("a", 1)], b = 2), {"a": 1, "b": 2})
assert.eq(dict({"a": 1}), {"a": 1})
assert.eq(zip(range(20000), range(20000))[7], (7, 7))
assert.eq(enumerate(range(20000), 5)[1], (6, 1))
assert.eq("a-b".replace("-", "+"), "a+b")
assert.eq("a-b-c".replace("-", "", 1), "ab-c")
assert.eq("a,b".split(","), ["a", "b"])
assert.eq(",".join(["a", "b"]), "a,b")
assert.eq("{} {x} {}".format(1, 2, x = 3), "1 3 2")
assert.eq("{0}{0}".format("a"), "aa")
assert.eq("%d of %s" % (1, [2]), "1 of [2]")
assert.eq(7 % 3, 1)
assert.eq("ab" * 2, "abab")
assert.eq(2 * [1], [1, 1])
assert.eq(3 * 4.5, 13.5)
x = [1, 2]
x *= 2
assert.eq(x, [1, 2, 1, 2])
x += (5,)
assert.eq(x, [1, 2, 1, 2, 5])
d = {"k": 3}
d["k"] *= 4
d["".join(["k"])] *= 1
names = []
def name(x):
    names.append(x)
    return x
d[name("k")] *= len(names) + 1
assert.eq(d, {"k": 24})
d["k"] //= 2
assert.eq(names, ["k"])
deep = [[1, "%s!"]]
deep[name(0)][name(-1)] %= name("z")
deep[0][name(0)] *= 5
assert.eq(deep, [[5, "z!"]])
assert.eq(names, ["k", 0, -1, "z", 0])
def times(x, i, n):
    x[i + 0] *= n
def field(x):
    x.name *= 2
assert.fails(lambda: times((1,), 0, 2), "tuple value does not support item assignment")
assert.fails(lambda: times("ab", 0, 2), "string value does not support item assignment")
assert.fails(lambda: times([1], 1, 2), "list index 1 out of range \\[-1:0\\]")
assert.fails(lambda: times([], 0, 2), "index 0 out of range: empty list")
assert.fails(lambda: times([1], 1 << 40, 2), "list index: 1099511627776 out of range")
assert.fails(lambda: times({}, 0, 2), "key 0 not in dict")
assert.fails(lambda: times(5, 0, 2), "unhandled index operation int\\[int\\]")
assert.fails(lambda: times([None], 0, 2), "unknown binary op: NoneType \\* int")
assert.fails(lambda: field(5), "int has no .name field or method")
assert.fails(lambda: field([]), "list has no .name field or method")
d |= {"j": 1}
assert.eq(d, {"k": 12, "j": 1})
assert.eq((lambda *a: len(a))(*range(20000)), 20000)
assert.fails(lambda: [1].replace, "has no .replace")
assert.fails(lambda: "a".extend, "string has no .extend")
assert.fails(lambda: None * 2, "unknown binary op: NoneType \\* int")
loop = [1]
loop.append(loop)
assert.eq(str(loop), "[1, [...]]")
assert.eq(json.decode("[1, {\"a\": \"]]\"}]"), [1, {"a": "]]"}])
assert.eq(json.encode({"a": [1, None]}), "{\"a\":[1,null]}")
assert.eq(int("12"), 12)
assert.eq(int("ff", 16), 255)
assert.eq(getattr("a,b", "split")(","), ["a", "b"])
assert.eq(sum(range(100000)), 4999950000)
`)
	if err != nil {
		t.Error(err)
	}
}
