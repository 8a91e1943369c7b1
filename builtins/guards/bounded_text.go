package guards

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/capture/memory"
)

const (
	// deepest is how deep values may lie in each other for a text to be made of them: what makes it is recursive.
	deepest = 1000
	// mostBits is the size of the largest integer that a product may be: what is larger takes long to multiply and
	// longer to print.
	mostBits = 1 << 20
	// mostDigits is how many digits may be read as one integer; reading takes time that grows with their square.
	mostDigits = 320_000
)

// telling is a function of the language that makes a text of its arguments.
func (e bounds) telling(f *starlark.Builtin) builtinFunc {
	return func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
		kwargs []starlark.Tuple) (starlark.Value, error) {
		if err := e.roomForText(0, args, kwargs); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		return f.CallInternal(thread, args, kwargs)
	}
}

// roomForText asks for room for the text of values and of what lies in them, and for so many bytes beside it.
func (e bounds) roomForText(size uint64, args starlark.Tuple, kwargs []starlark.Tuple) error {
	s := sizer{ctx: e.Context(), size: size}
	for _, v := range args {
		if err := s.add(v, 0); err != nil {
			return err
		}
	}
	for _, kv := range kwargs {
		if err := s.add(kv[1], 0); err != nil {
			return err
		}
	}
	return s.room()
}

// sizer adds up how long the text of values is, about.
type sizer struct {
	ctx   context.Context
	size  uint64           // bytes
	asked uint64           // for so many there was room
	steps int              // values looked at
	path  []starlark.Value // the lists and dicts around a value, which the text of a cycle ends at
}

// room asks for the room. A text that grows is copied, so that there are two of it.
func (s *sizer) room() error {
	if s.size < s.asked+1<<20 {
		return nil
	}
	s.asked = s.size
	return memory.Room(binding.Product(s.size, 2))
}

func (s *sizer) add(v starlark.Value, depth int) error {
	if s.steps++; s.steps%binding.WalkStep == 0 {
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		if err := s.room(); err != nil {
			return err
		}
	}
	if depth > deepest {
		return fmt.Errorf("values lie in each other more than %d deep", deepest)
	}
	switch v := v.(type) {
	case starlark.String:
		s.size += uint64(len(v)) + 2
	case starlark.Bytes:
		s.size += uint64(len(v)) + 3
	case starlark.Int:
		s.size += 2
		if _, small := v.Int64(); !small {
			s.size += uint64(v.BigInt().BitLen()) / 3
		}
	case *starlark.List, starlark.Tuple, *starlark.Set:
		return s.elements(v.(starlark.Iterable), depth)
	case *starlark.Dict:
		return s.around(v, func() error {
			for k, item := range v.Entries() {
				if err := s.add(k, depth+1); err != nil {
					return err
				}
				if err := s.add(item, depth+1); err != nil {
					return err
				}
			}
			return nil
		})
	default:
		s.size += 16
	}
	return nil
}

func (s *sizer) elements(v starlark.Iterable, depth int) error {
	s.size += 2
	walk := func() error {
		it := v.Iterate()
		defer it.Done()
		var x starlark.Value
		for it.Next(&x) {
			s.size += 2
			if err := s.add(x, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	if _, ok := v.(starlark.Tuple); ok { // holds itself only by way of something else
		return walk()
	}
	return s.around(v, walk)
}

// around walks a value that may hold itself, once.
func (s *sizer) around(v starlark.Value, walk func() error) error {
	for _, outer := range s.path {
		if outer == v {
			return nil
		}
	}
	s.path = append(s.path, v)
	defer func() { s.path = s.path[:len(s.path)-1] }()
	return walk()
}

// formatRoom asks for room for what the format method of a text makes.
func (e bounds) formatRoom(text string, args starlark.Tuple, kwargs []starlark.Tuple) error {
	const large = 1 << 12
	size := uint64(len(text))
	add := func(field string, v starlark.Value) error {
		s := sizer{ctx: e.Context()}
		if err := s.add(v, 0); err != nil {
			return err
		}
		times := uint64(1)
		if s.size > large || len(text) > large { // a field may be named many times
			times = uint64(max(1, strings.Count(text, "{"+field)))
		}
		size += binding.Product(s.size, times)
		return nil
	}
	numbered := strings.Contains(text, "{0")
	fields := strings.Count(text, "{")
	for i, v := range args {
		field := ""
		if numbered {
			field = fmt.Sprint(i)
		} else if i >= fields {
			break // no field takes it
		}
		s := sizer{ctx: e.Context()}
		if field == "" {
			if err := s.add(v, 0); err != nil {
				return err
			}
			size += s.size
		} else if err := add(field, v); err != nil {
			return err
		}
		if err := e.largeText(size); err != nil {
			return err
		}
	}
	for _, kv := range kwargs {
		name, _ := starlark.AsString(kv[0])
		if err := add(name, kv[1]); err != nil {
			return err
		}
	}
	return e.largeText(size)
}

// largeText asks for room for a text, where that matters.
func (e bounds) largeText(size uint64) error {
	if size < 1<<20 {
		return nil
	}
	return memory.Room(binding.Product(size, 2))
}

// intOf is int of the language, for texts of a length that can be read.
func intOf(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) > 0 {
		if s, ok := args[0].(starlark.String); ok && len(s) > mostDigits {
			return nil, fmt.Errorf("int: a text of %d characters; the most are %d", len(s), mostDigits)
		}
	}
	return starlark.Universe["int"].(*starlark.Builtin).CallInternal(thread, args, kwargs)
}

// checkJSON refuses a text of JSON that is nested too deep, or has a number of too many digits.
func checkJSON(text string) error {
	depth, digits := 0, 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= '0' && c <= '9' {
			if digits++; digits > mostDigits {
				return fmt.Errorf("a number of more than %d digits at byte %d", mostDigits, i-digits+1)
			}
			continue
		}
		digits = 0
		switch c {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			if depth++; depth > deepest {
				return fmt.Errorf("more than %d brackets are open at byte %d", deepest, i)
			}
		case ']', '}':
			depth--
		}
	}
	return nil
}

// decodeRoom is a bound on what decoding makes of a byte of JSON: an empty list takes three bytes of text, with its
// comma.
const decodeRoom = 24

// BoundedJSON puts a function of the language's JSON library behind a check of its argument.
func BoundedJSON(e *binding.Env, f *starlark.Builtin) *starlark.Builtin {
	return starlark.NewBuiltin(f.Name(), func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
		kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args) > 0 {
			var err error
			if text, ok := starlark.AsString(args[0]); ok && (f.Name() == "json.decode" || f.Name() == "json.indent") {
				if err = checkJSON(text); err == nil && len(text) > 1<<20 {
					err = memory.Room(uint64(len(text)) * decodeRoom / 8)
				}
			} else {
				err = bounds{e}.roomForText(0, args, nil)
			}
			for _, kv := range kwargs {
				if s, ok := starlark.AsString(kv[1]); ok && len(s) > longestIndent {
					err = errors.Join(err, fmt.Errorf("parameter %s has more than %d characters",
						kv[0].(starlark.String), longestIndent))
				}
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name(), err)
			}
		}
		return f.CallInternal(thread, args, kwargs)
	})
}

// longestIndent is how long the text before a line of JSON may be.
const longestIndent = 64
