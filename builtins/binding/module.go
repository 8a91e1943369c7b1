package binding

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"
)

// Module is a predeclared module. Its members come from a table, and some from the language's own libraries.
type Module struct {
	Env   *Env
	Table *MethodTable[*Env]
	Extra starlark.StringDict // members of a library of the language
	// Gone explains a member that this run does not have
	Gone map[string]string
}

var _ starlark.HasAttrs = (*Module)(nil)

func (m *Module) String() string        { return "<module " + m.Table.Name + ">" }
func (m *Module) Type() string          { return "module" }
func (m *Module) Freeze()               {}
func (m *Module) Truth() starlark.Bool  { return true }
func (m *Module) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: module") }

// Doc is the documentation of the module.
func (m *Module) Doc() Documented { return m.Table }

// Name is the name that scripts use.
func (m *Module) Name() string { return m.Table.Name }

func (m *Module) AttrNames() []string {
	names := m.Table.AttrNames()
	if len(m.Extra) == 0 {
		return names
	}
	seen := map[string]bool{}
	for _, n := range names {
		seen[n] = true
	}
	for _, n := range m.Extra.Keys() {
		if !seen[n] && m.Gone[n] == "" {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return names
}

func (m *Module) Attr(name string) (starlark.Value, error) {
	if why := m.Gone[name]; why != "" {
		return nil, fmt.Errorf("%s.%s %s", m.Table.Name, name, why)
	}
	v, err := m.Table.Member(m.Env, m.Env, name)
	if v != nil || err != nil {
		return v, err
	}
	if v, ok := m.Extra[name]; ok {
		return v, nil
	}
	return nil, m.Table.Absent(m.Table.Name, name, m.AttrNames())
}
