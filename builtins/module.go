package builtins

import (
	"fmt"

	"go.starlark.net/starlark"
)

// Module is a predeclared module. Its members come from a table, and some from the language's own libraries.
type Module struct {
	env   *Env
	table *methodTable[*Env]
	extra starlark.StringDict // members of a library of the language
	// gone explains a member that this run does not have
	gone map[string]string
}

var _ starlark.HasAttrs = (*Module)(nil)

func (m *Module) String() string        { return "<module " + m.table.Name + ">" }
func (m *Module) Type() string          { return "module" }
func (m *Module) Freeze()               {}
func (m *Module) Truth() starlark.Bool  { return true }
func (m *Module) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: module") }

// Name is the name that scripts use.
func (m *Module) Name() string { return m.table.Name }

func (m *Module) AttrNames() []string {
	names := m.table.attrNames()
	if len(m.extra) == 0 {
		return names
	}
	seen := map[string]bool{}
	for _, n := range names {
		seen[n] = true
	}
	for _, n := range m.extra.Keys() {
		if !seen[n] && m.gone[n] == "" {
			names = append(names, n)
		}
	}
	return sorted(names)
}

func (m *Module) Attr(name string) (starlark.Value, error) {
	if why := m.gone[name]; why != "" {
		return nil, fmt.Errorf("%s.%s %s", m.table.Name, name, why)
	}
	v, err := m.table.member(m.env, m.env, name)
	if v != nil || err != nil {
		return v, err
	}
	if v, ok := m.extra[name]; ok {
		return v, nil
	}
	return nil, m.table.absent(m.table.Name, name, m.AttrNames())
}
