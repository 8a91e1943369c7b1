package metrics

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
)

// hit is an entry that a key addresses. A smaller rank is a more direct address.
type hit struct {
	e    *Entry
	rank int
}

const (
	rankName = iota
	rankAddress
	rankRef
	rankAlias
	rankTitle
	rankRole // behind what vendors call things
)

// UnknownError says that a name addresses nothing, and what is near.
type UnknownError struct {
	Name string
	Near []string // names that exist and look alike
	Note string   // more to say, such as where the name is known; "" if nothing

	// help finds what there is to say where nobody may ask: looking for near names takes longer than anything else
	// about an unknown name, and scripts ask of many names whether a capture knows them.
	help func() *UnknownError
}

func (e *UnknownError) Error() string {
	if e.help != nil {
		e = e.help()
	}
	msg := fmt.Sprintf("no counter or metric %q", e.Name)
	if len(e.Near) > 0 {
		msg += "; did you mean " + joinOr(e.Near) + "?"
	}
	if e.Note != "" {
		if len(e.Near) == 0 && !strings.HasPrefix(e.Note, "(") {
			msg += ":"
		}
		msg += " " + e.Note
	}
	return msg
}

// AmbiguousError says that a name addresses several entries.
type AmbiguousError struct {
	Name  string
	Among []string // names that tell them apart
}

// maxAmong is how many names an AmbiguousError prints.
const maxAmong = 24

func (e *AmbiguousError) Error() string {
	among := e.Among
	if n := len(among); n > maxAmong {
		among = append(slices.Clone(among[:maxAmong-1]), fmt.Sprintf("%d more", n-maxAmong+1))
	}
	return fmt.Sprintf("%q stands for %d metrics: %s", e.Name, len(e.Among), joinAnd(among))
}

// fold reduces a name to what decides: letters in lower case and digits, and dots between digits.
func fold(s string) string {
	s = strings.TrimPrefix(strings.TrimSpace(s), "$")
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		if c, counts := foldedByte(s, i); counts {
			b = append(b, c)
		}
	}
	return string(b)
}

// foldedByte is what becomes of a byte of a name, and whether it counts.
func foldedByte(s string, i int) (c byte, counts bool) {
	c = s[i]
	switch {
	case 'A' <= c && c <= 'Z':
		return c + 'a' - 'A', true
	case 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c >= 0x80 || c == '[' || c == ']':
		return c, true
	case c == '.':
		return c, i > 0 && i+1 < len(s) && digit(s[i-1]) && digit(s[i+1])
	}
	return c, false
}

// folds reports whether fold makes key of s; it stops at the first letter that differs.
func folds(s, key string) bool {
	s = strings.TrimPrefix(strings.TrimSpace(s), "$")
	k := 0
	for i := range len(s) {
		c, counts := foldedByte(s, i)
		if !counts {
			continue
		}
		if k == len(key) || key[k] != c {
			return false
		}
		k++
	}
	return k == len(key)
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func (c *Catalogue) keys() map[string][]hit {
	c.indexOnce.Do(func() {
		c.prefixes = c.before
		for _, p := range products() {
			if p == c.product || p.countsLike(c.product) {
				c.prefixes = slices.Concat(c.prefixes, p.stated)
			}
		}
		c.index = make(map[string][]hit, 4*len(c.entries))
		add := func(key string, e *Entry, rank int) {
			key = fold(key)
			for i, h := range c.index[key] {
				if h.e == e {
					c.index[key][i].rank = min(h.rank, rank)
					return
				}
			}
			c.index[key] = append(c.index[key], hit{e, rank})
		}
		entries := c.entries
		for _, b := range c.borrowed {
			if other, err := Get(b.catalogue); err == nil {
				for _, e := range other.entries {
					if e.Name == b.name {
						entries = append(entries[:len(entries):len(entries)], e)
					}
				}
			}
		}
		c.writings = map[string]writing{}
		for _, e := range entries {
			maps.Copy(c.writings, e.written)
			add(e.Name, e, rankName)
			add(e.Address(), e, rankAddress)
			for _, r := range e.Refs {
				if e.GPU == c.id || len(c.index[fold(r)]) == 0 { // of those borrowed from one section the first answers to its number
					add(r, e, rankRef)
				}
			}
			for _, a := range e.Aliases {
				add(a, e, rankAlias)
			}
			add(e.Title, e, rankTitle)
			for _, r := range e.Roles {
				add(r, e, rankRole)
			}
		}
	})
	return c.index
}

// Find returns the entry that name addresses: by its name, its vendor's name with or without $, its section, its
// "Group/Title", its title, its role ("queue:fragment"), in any case and spelling. The error is an *UnknownError or an
// *AmbiguousError.
func (c *Catalogue) Find(name string) (*Entry, error) {
	e, err := c.lookup(name)
	return e, helped(err)
}

// Titled is the entry of exactly that title in either case, nil if there is none. Unlike Find it looks for no similar
// names.
func (c *Catalogue) Titled(title string) *Entry {
	if e, err := c.lookup(title); err == nil && strings.EqualFold(e.Title, title) {
		return e
	}
	return nil
}

// Named is the entry of exactly that name, nil if there is none. Unlike Find it looks for no similar names.
func (c *Catalogue) Named(name string) *Entry {
	if e, err := c.lookup(name); err == nil && e.Name == name {
		return e
	}
	return nil
}

// helped looks for what is near an unknown name now, in the error that says so.
func helped(err error) error {
	var unknown *UnknownError
	if errors.As(err, &unknown) && unknown.help != nil {
		*unknown = *unknown.help()
	}
	return err
}

// hits are the entries that a name addresses, and the name under which the catalogue has them: with or without what
// other programs write before it.
func (c *Catalogue) hits(name string) ([]hit, string) {
	keys := c.keys()
	if hits := keys[fold(name)]; len(hits) > 0 {
		return hits, name
	}
	for _, prefix := range c.before {
		if hits := keys[fold(prefix+name)]; len(hits) > 0 {
			return hits, prefix + name
		}
	}
	for _, prefix := range c.prefixes {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			if hits := keys[fold(rest)]; len(hits) > 0 {
				return hits, rest
			}
		}
	}
	return nil, name
}

// lookup is Find, but the near names of an unknown one are looked for only when its error is read.
func (c *Catalogue) lookup(name string) (*Entry, error) {
	if of, role, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(name), "$"), "/"); ok && IsRole(role) {
		if set, err := c.Set(of); err == nil && set.bySymbol[role] != nil {
			return set.bySymbol[role], nil
		}
	}
	bare := strings.TrimPrefix(strings.TrimSpace(name), "$")
	hits, bare := c.hits(bare)
	if len(hits) == 0 {
		if e := c.numbered(bare); e != nil {
			return e, nil
		}
		return nil, &UnknownError{Name: name, help: func() *UnknownError {
			return &UnknownError{Name: name,
				Near: c.near(name)}
		}}
	}
	for _, h := range hits {
		if h.e.Name == bare {
			return h.e, nil
		}
	}
	hits = exactAlias(hits, bare)
	if e := titled(hits, bare); e != nil {
		return e, nil
	}
	best := hits[0].rank
	for _, h := range hits {
		best = min(best, h.rank)
	}
	var found []*Entry
	for _, h := range hits {
		if h.rank == best {
			found = append(found, h.e)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	if e, ok, err := ofSets(bare, found); ok {
		return e, err
	}
	var among []string
	for _, e := range found {
		among = append(among, e.Name)
	}
	return nil, &AmbiguousError{name, among}
}

// titled returns the one entry with exactly that title or address, nil if there is none or more than one.
func titled(hits []hit, title string) *Entry {
	var found *Entry
	for _, h := range hits {
		if h.e.Title == title || h.e.Address() == title {
			if found != nil {
				return nil
			}
			found = h.e
		}
	}
	return found
}

// near lists up to five names that look like name.
func (c *Catalogue) near(name string) []string {
	var words []string
	owner := map[string]string{}
	for _, e := range c.entries {
		for _, w := range append([]string{e.Name, e.Title, e.Address()}, e.others()...) {
			if _, dup := owner[w]; !dup {
				owner[w] = e.Name
				words = append(words, w)
			}
		}
	}
	var out []string
	for _, w := range nearest(name, words, 12) {
		if !slices.Contains(out, owner[w]) && len(out) < 5 {
			out = append(out, owner[w])
		}
	}
	return out
}

// Match lists the entries that a pattern selects: with * ? or a list of words. A pattern with * or ? must match the
// whole name, vendor's name or title; words must all stand somewhere in name, title, group or meaning. Case does not
// count. An empty pattern selects everything.
func (c *Catalogue) Match(pattern string) []*Entry {
	pattern = strings.ToLower(strings.TrimSpace(pattern))
	if pattern == "" {
		return slices.Clone(c.entries)
	}
	var out []*Entry
	if strings.ContainsAny(pattern, "*?") {
		for _, e := range c.entries {
			for _, w := range append([]string{e.Name, e.Title, e.Address()}, e.others()...) {
				if Glob(pattern, strings.ToLower(w)) {
					out = append(out, e)
					break
				}
			}
		}
		return out
	}
	words := strings.Fields(pattern)
	type scored struct {
		e    *Entry
		rank int
	}
	var list []scored
	for _, e := range c.entries {
		names := strings.ToLower(e.Name + " " + e.Title + " " + e.Group + " " + strings.Join(e.Aliases, " ") + " " +
			strings.Join(e.Refs, " ") + " " + strings.Join(e.Roles, " "))
		all := names + " " + strings.ToLower(e.Doc)
		rank := 0
		for _, w := range words {
			switch {
			case strings.Contains(names, w):
			case strings.Contains(all, w):
				rank = 1
			default:
				rank = 2
			}
			if rank == 2 {
				break
			}
		}
		if rank < 2 {
			list = append(list, scored{e, rank})
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].rank < list[j].rank })
	for _, s := range list {
		out = append(out, s.e)
	}
	return out
}

// Glob reports whether s matches a pattern in which * stands for any text and ? for any character.
func Glob(pattern, s string) bool {
	star, mark := -1, 0
	p, i := 0, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, i
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == s[i]):
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
