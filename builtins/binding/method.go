package binding

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.starlark.net/starlark"

	"astrolabe/builtins/mistakes"
	"astrolabe/capture/spelling"
)

// Method is one function of a type or module. Sig is its signature with types and defaults; Example is Starlark code
// that a test runs with the names of the example capture (see reference_test.go).
type Method[T any] struct {
	Sig     string
	Doc     string
	Example string
	Run     func(recv T, c *Call) (starlark.Value, error)
}

// Attribute is one value that a type or module offers without a call: by Get, or by Ask where that may fail.
type Attribute[T any] struct {
	Name string
	Type string
	Doc  string
	Get  func(recv T) starlark.Value
	Ask  func(recv T) (starlark.Value, error)
}

// MethodTable is everything that scripts can ask of a type or module, and its documentation.
type MethodTable[T any] struct {
	Name    string // of the type or module
	Doc     string
	Attrs   []Attribute[T]
	Methods []Method[T]

	once    sync.Once
	names   []string
	entries map[string]*Entry
	at      map[string]int // position in Methods, or -1-position in Attrs
}

// Entry documents one attribute or method.
type Entry struct {
	Name    string
	Sig     *Signature // nil of an attribute
	Type    string     // of an attribute, or of a method's result
	Doc     string
	Example string
}

// Title is the entry as a person would write it.
func (e *Entry) Title() string {
	if e.Sig != nil {
		return e.Sig.Call()
	}
	return e.Name
}

// Documented is the documentation of a type or module.
type Documented interface {
	TypeName() string
	TypeDoc() string
	// Entries lists attributes first, then methods, in the order of the table.
	Entries() []*Entry
	// Entry returns the attribute or method of that name, nil if there is none.
	Entry(name string) *Entry
}

func (t *MethodTable[T]) TypeName() string { return t.Name }
func (t *MethodTable[T]) TypeDoc() string  { return t.Doc }

func (t *MethodTable[T]) build() {
	t.once.Do(func() {
		n := len(t.Attrs) + len(t.Methods)
		t.entries = make(map[string]*Entry, n)
		t.at = make(map[string]int, n)
		for i := range t.Attrs {
			a := &t.Attrs[i]
			t.names = append(t.names, a.Name)
			t.entries[a.Name] = &Entry{Name: a.Name, Type: a.Type, Doc: a.Doc}
			t.at[a.Name] = -1 - i
		}
		for i := range t.Methods {
			m := &t.Methods[i]
			sig, err := ParseSignature(m.Sig)
			if err != nil {
				panic(fmt.Sprintf("%s: %v", t.Name, err)) // a mistake in this package
			}
			t.names = append(t.names, sig.Name)
			t.entries[sig.Name] = &Entry{Name: sig.Name, Sig: sig, Type: sig.Result, Doc: m.Doc, Example: m.Example}
			t.at[sig.Name] = i
		}
	})
}

func (t *MethodTable[T]) Entry(name string) *Entry {
	t.build()
	return t.entries[name]
}

func (t *MethodTable[T]) Entries() []*Entry {
	t.build()
	out := make([]*Entry, len(t.names))
	for i, n := range t.names {
		out[i] = t.entries[n]
	}
	return out
}

// AttrNames implements starlark.HasAttrs.AttrNames: sorted.
func (t *MethodTable[T]) AttrNames() []string {
	t.build()
	return slices.Sorted(slices.Values(t.names))
}

// Attr implements starlark.HasAttrs.Attr.
func (t *MethodTable[T]) Attr(env *Env, recv T, name string) (starlark.Value, error) {
	v, err := t.Member(env, recv, name)
	if v == nil && err == nil {
		err = t.Absent(t.Name, name, t.AttrNames())
	}
	return v, err
}

// Member is the attribute or method of that name; a name that is not in the table gives nil, nil.
func (t *MethodTable[T]) Member(env *Env, recv T, name string) (starlark.Value, error) {
	t.build()
	i, ok := t.at[name]
	if !ok {
		return nil, nil
	}
	if i < 0 {
		a := t.Attrs[-1-i]
		if a.Get == nil {
			return a.Ask(recv)
		}
		return a.Get(recv), nil
	}
	run := t.Methods[i].Run
	return &Bound{env: env, owner: t.Name, entry: t.entries[name], run: func(c *Call) (starlark.Value, error) {
		return run(recv, c)
	}}, nil
}

// Absent is the error of an attribute that a type or module does not have, where owner is what a script calls it: with
// the name that is meant, or that people know it by elsewhere.
func (t *MethodTable[T]) Absent(owner, name string, names []string) error {
	if say := mistakes.Elsewhere(t.Name, name); say != "" {
		return fmt.Errorf("%s has no .%s: %s", owner, name, say)
	}
	if near := spelling.Near(name, names); len(near) > 0 {
		return fmt.Errorf("%s has no .%s field or method (did you mean .%s?)", owner, name, near[0])
	}
	return fmt.Errorf("%s has no .%s field or method; help(%q) lists what it has", owner, name, owner)
}

// Bound is a function of this package, bound to what it belongs to.
type Bound struct {
	env   *Env
	owner string
	entry *Entry
	run   func(c *Call) (starlark.Value, error)
}

var _ starlark.Callable = (*Bound)(nil)

func (m *Bound) Name() string          { return m.entry.Name }
func (m *Bound) String() string        { return "<function " + m.FullName() + ">" }
func (m *Bound) Type() string          { return "builtin_function_or_method" }
func (m *Bound) Freeze()               {}
func (m *Bound) Truth() starlark.Bool  { return true }
func (m *Bound) Hash() (uint32, error) { return starlark.String(m.FullName()).Hash() }

// FullName is the name with the type or module that the method belongs to.
func (m *Bound) FullName() string {
	if m.owner == "" {
		return m.entry.Name
	}
	return m.owner + "." + m.entry.Name
}

// Entry is the documentation of the method.
func (m *Bound) Entry() *Entry { return m.entry }

// longestExample is how much of an example an error shows: a call, not a program.
const longestExample = 90

// example shows in the error of a call how it is written, where the error says nothing better.
func (m *Bound) example(err error) string {
	if e := m.entry.Example; e != "" && len(e) <= longestExample && !strings.ContainsAny(err.Error(), ";?") &&
		!strings.Contains(e, "\n") {
		return "; as in " + e
	}
	return ""
}

// CallInternal binds the arguments by the signature and runs the method.
func (m *Bound) CallInternal(thread *starlark.Thread, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	if err := m.env.Context().Err(); err != nil {
		return nil, err
	}
	c := &Call{Env: m.env, Thread: thread, Sig: m.entry.Sig}
	if err := c.Bind(args, kwargs); err != nil {
		return nil, fmt.Errorf("%s: %w%s", m.FullName(), err, m.example(err))
	}
	var long Walks
	for i, v := range c.Args {
		if it, ok := longSequence(&m.entry.Sig.Params[i], v); ok {
			c.Args[i] = long.Add(m.env, it, ElementBytes)
		}
	}
	v, err := m.run(c)
	if stop := long.Stopped(); stop != nil {
		return nil, stop
	}
	if err != nil {
		return nil, nameError(m.FullName(), err)
	}
	return v, nil
}
