package values

import (
	"fmt"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/notation"
	"astrolabe/capture"
)

// counterMap is the ordered, dict-like view of a capture's counters or metrics: name to Counter.
type counterMap struct {
	env  *binding.Env
	cap  *Capture
	what string
	all  func() ([]*capture.Counter, error)
}

var (
	_ starlark.HasAttrs        = (*counterMap)(nil)
	_ starlark.IterableMapping = (*counterMap)(nil)
	_ starlark.Sequence        = (*counterMap)(nil)
)

func (m *counterMap) list() []*capture.Counter {
	list, err := m.all()
	if err != nil {
		m.env.Stop("%v", err)
	}
	return list
}

func (m *counterMap) String() string {
	list, err := m.all()
	if err != nil {
		return notation.VisibleLine(fmt.Sprintf("<%ss: %v>", m.what, err))
	}
	return fmt.Sprintf("%d %s: %s", len(list), notation.Plural(len(list), m.what), someNames(list, 8))
}
func (m *counterMap) Type() string          { return "CounterMap" }
func (m *counterMap) Freeze()               {}
func (m *counterMap) Truth() starlark.Bool  { return len(m.list()) > 0 }
func (m *counterMap) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: CounterMap") }
func (m *counterMap) Len() int              { return len(m.list()) }
func (m *counterMap) AttrNames() []string   { return mapTable.AttrNames() }

func (m *counterMap) Attr(name string) (starlark.Value, error) {
	v, err := mapTable.Member(m.env, m, name)
	if v == nil && err == nil {
		if _, absent := m.cap.resolve(name); absent == nil {
			return nil, fmt.Errorf("CounterMap has no .%s: a %s is taken by its name, cap[%q]", name, m.what, name)
		}
		err = mapTable.Absent("CounterMap", name, mapTable.AttrNames())
	}
	return v, err
}

// Get finds an entry by its own name, or by any other that the capture knows for it.
func (m *counterMap) Get(k starlark.Value) (starlark.Value, bool, error) {
	name, ok := k.(starlark.String)
	if !ok {
		return nil, false, fmt.Errorf("CounterMap index: got %s, want the name of a %s", k.Type(), m.what)
	}
	list, err := m.all()
	if err != nil {
		return nil, false, err
	}
	for _, c := range list {
		if c.Name == string(name) {
			return m.cap.Counter(c), true, nil
		}
	}
	c, err := m.cap.resolve(string(name))
	if err != nil {
		return nil, false, err
	}
	for _, have := range list {
		if have.Name == c.Name {
			return m.cap.Counter(have), true, nil
		}
	}
	return nil, false, fmt.Errorf("%q is not a %s of this capture; cap[%q] finds both counters and metrics",
		string(name), m.what, string(name))
}

func (m *counterMap) Items() []starlark.Tuple {
	list := m.list()
	out := make([]starlark.Tuple, len(list))
	for i, c := range list {
		out[i] = starlark.Tuple{starlark.String(c.Name), m.cap.Counter(c)}
	}
	return out
}

func (m *counterMap) names() *starlark.List {
	list := m.list()
	out := make([]starlark.Value, len(list))
	for i, c := range list {
		out[i] = starlark.String(c.Name)
	}
	return binding.FrozenList(out)
}

// Iterate goes through the names, as that of a dict does.
func (m *counterMap) Iterate() starlark.Iterator { return m.names().Iterate() }

var mapTable = binding.MethodTable[*counterMap]{
	Name: "CounterMap",
	Doc:  "The counters or metrics of a capture, in order: m[\"Name\"] is a Counter, iteration gives the names.",
	Methods: []binding.Method[*counterMap]{
		{Sig: "keys() -> list", Doc: "The names.", Example: "cap.counters.keys()",
			Run: func(m *counterMap, c *binding.Call) (starlark.Value, error) { return m.names(), nil }},
		{Sig: "values() -> list", Doc: "The Counters.", Example: "[c.total() for c in cap.counters.values()]",
			Run: func(m *counterMap, c *binding.Call) (starlark.Value, error) {
				items := m.Items()
				out := make([]starlark.Value, len(items))
				for i, it := range items {
					out[i] = it[1]
				}
				return binding.FrozenList(out), nil
			}},
		{Sig: "items() -> list", Doc: "Pairs of name and Counter.",
			Example: "[(n, c.unit) for n, c in cap.counters.items()]",
			Run: func(m *counterMap, c *binding.Call) (starlark.Value, error) {
				items := m.Items()
				out := make([]starlark.Value, len(items))
				for i, it := range items {
					out[i] = it
				}
				return binding.FrozenList(out), nil
			}},
		{Sig: "get(name: str, default=None)", Doc: "The Counter of that name, or the default.",
			Example: "cap.counters.get(\"nothing\")",
			Run: func(m *counterMap, c *binding.Call) (starlark.Value, error) {
				v, ok, err := m.Get(c.Arg("name"))
				if err != nil || !ok {
					return c.Value("default"), nil
				}
				return v, nil
			}},
	},
}
