package guards

import (
	"fmt"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/capture/memory"
)

// Functions of the language make room for all they will hold at once, and walk a range of 10^12 numbers without looking
// up. Memory that the system refuses to give ends a Go program without a word that anybody understands, so what a
// script can name is put behind functions that ask for the room first (memory.Room) and stop when the run does. The
// language's own functions, which other programs in one process would share, are never changed: Add hides them behind
// names of the run.

// boundedFunctions are the functions of the language that walk a sequence, with the bytes that they take for each
// element.
var boundedFunctions = map[string]uint64{
	"list": binding.ElementBytes, "tuple": binding.ElementBytes, "reversed": binding.ElementBytes,
	"sorted": 2 * binding.ElementBytes, "enumerate": 4 * binding.ElementBytes,
	"zip": 2 * binding.ElementBytes, "set": 4 * binding.ElementBytes, "dict": 4 * binding.ElementBytes, "bytes": 1,
	"min": 0, "max": 0,
}

// bounds makes functions of the language that ask for room, for one run.
type bounds struct{ *binding.Env }

// textFunctions are the functions of the language that make a text of any value.
var textFunctions = []string{"str", "repr", "print", "fail"}

// bounded is a function of the language that asks for room.
type bounded struct{ *starlark.Builtin }

// builtinFunc is how a function of the language runs.
type builtinFunc = func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)

func newBounded(name string, run builtinFunc) *bounded {
	return &bounded{starlark.NewBuiltin(name, run)}
}

// addBounded adds the functions of the language that ask for room to the names that a program sees. A name that is
// taken stays.
func addBounded(env bounds, names starlark.StringDict) {
	add := func(name string, run builtinFunc) {
		if !names.Has(name) {
			names[name] = newBounded(name, run)
		}
	}
	for name, size := range boundedFunctions {
		add(name, env.watching(starlark.Universe[name].(*starlark.Builtin), size))
	}
	add("sorted", env.sorted)
	for _, name := range textFunctions {
		add(name, env.telling(starlark.Universe[name].(*starlark.Builtin)))
	}
	add("int", intOf)
	add("getattr", func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
		kwargs []starlark.Tuple) (starlark.Value, error) {
		v, err := starlark.Universe["getattr"].(*starlark.Builtin).CallInternal(thread, args, kwargs)
		if b, ok := v.(*starlark.Builtin); ok && b.Receiver() != nil {
			return env.boundMethod(b), err
		}
		return v, err
	})
}

// watching is a function of the language whose sequences are watched; each element makes it take size bytes.
func (e bounds) watching(f *starlark.Builtin, size uint64) builtinFunc {
	return func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
		kwargs []starlark.Tuple) (starlark.Value, error) {
		args, kwargs, walks, err := e.watchAll(f.Name(), size, args, kwargs)
		if err != nil {
			return nil, err
		}
		v, err := f.CallInternal(thread, args, kwargs)
		if stop := walks.Stopped(); stop != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), stop)
		}
		return v, err
	}
}

// watchAll puts the long sequences among the arguments of a call behind walks.
func (e bounds) watchAll(name string, size uint64, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Tuple, []starlark.Tuple, binding.Walks, error) {
	var all binding.Walks
	changed := false
	watch := func(v starlark.Value) (starlark.Value, error) {
		n := starlark.Len(v)
		it, ok := v.(starlark.Iterable)
		if _, pairs := v.(starlark.IterableMapping); !ok || n >= 0 && n < binding.ManyElements ||
			pairs && name == "dict" {
			return v, nil
		}
		if n > 0 && size > 0 {
			if err := memory.Room(binding.Product(uint64(n), size)); err != nil {
				return nil, fmt.Errorf("%s of %d elements: %w", name, n, err)
			}
			size = 0 // there is room for all of them
		}
		changed = true
		return all.Add(e.Env, it, size), nil
	}
	var err error
	out := args
	for i, a := range args {
		v, failed := watch(a)
		if failed != nil {
			return nil, nil, nil, failed
		}
		if changed && &out[0] == &args[0] {
			out = append(starlark.Tuple{}, args...)
		}
		out[i] = v
	}
	named := kwargs
	for i, kv := range kwargs {
		walks := len(all)
		v, failed := watch(kv[1])
		if failed != nil {
			return nil, nil, nil, failed
		}
		if len(all) > walks { // values such as tuples cannot be compared
			named = append([]starlark.Tuple{}, named...)
			named[i] = starlark.Tuple{kv[0], v}
		}
	}
	return out, named, all, err
}
