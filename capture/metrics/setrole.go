package metrics

import (
	"fmt"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// Roles of the metrics of sets. A symbol plays its roles in every set that has it, and several of one set may play one:
// those of the samplers of a slice, say. What the role stands for in that set is then the highest of them.

// castRoles gives each set what its roles stand for.
func (c *Catalogue) castRoles() error {
	var roles []string // of a set, in the order of its metrics
	players := map[string][]*Entry{}
	for _, set := range c.sets {
		roles = roles[:0]
		clear(players)
		for _, e := range c.entries {
			if e.Set != set {
				continue
			}
			for _, r := range e.Roles {
				if players[r] == nil {
					roles = append(roles, r)
				}
				players[r] = append(players[r], e)
			}
		}
		for _, r := range roles {
			played := players[r][0]
			if len(players[r]) > 1 {
				var err error
				if played, err = c.highest(r, players[r]); err != nil {
					return err
				}
			}
			set.bySymbol[r] = played
		}
	}
	return nil
}

// highest is the metric of a set that has the highest value of several in every sample. A unit that is not there counts
// nothing.
func (c *Catalogue) highest(role string, of []*Entry) (*Entry, error) {
	first := of[0]
	var symbols, operands []string
	for _, e := range of {
		if e.Unit != first.Unit {
			return nil, fmt.Errorf("role %s of set %s is played by %s in %s and by %s in %s", role, first.Set.Name,
				first.Symbol, first.Unit, e.Symbol, e.Unit)
		}
		symbols = append(symbols, e.Symbol)
		operands = append(operands, "$"+e.Symbol)
	}
	out := &Entry{
		Name: role, Symbol: role, Title: "Highest of " + joinAnd(symbols), Unit: first.Unit, Roles: []string{role},
		GPU: c.id, Kind: capture.Derived, Dialect: c.dialect, Set: first.Set, Group: first.Group, Source: first.Source,
		MoreIsBetter: first.MoreIsBetter, Peak: first.Peak,
		Expr: strings.Join(operands, " ") + strings.Repeat(" FMAX", len(operands)-1),
		Doc:  first.Doc + " That of the unit where it is highest.",
	}
	if strings.Contains(out.Peak, "$") && slices.ContainsFunc(of, func(e *Entry) bool { return e.Peak != out.Peak }) {
		out.Peak = ""
	}
	x, err := formula.Parse(out.Dialect, out.Expr)
	if err != nil {
		return nil, fmt.Errorf("role %s of set %s: %w", role, first.Set.Name, err)
	}
	out.expr, out.Inputs = x, x.Names()
	return out, nil
}

// inSets is the first metric of a set that plays a role, nil where none does.
func (c *Catalogue) inSets(role string) *Entry {
	for _, set := range c.sets {
		if e := set.bySymbol[role]; e != nil {
			return e
		}
	}
	return nil
}

// Player is the first metric that plays a role, nil where none does.
func (c *Catalogue) Player(role string) *Entry {
	for _, e := range c.entries {
		if e.Symbol != "" && !IsRole(e.Name) && slices.Contains(e.Roles, role) {
			return e
		}
	}
	return nil
}

// Symbol is the metric of that symbol in the first set that has it, nil where none has.
func (c *Catalogue) Symbol(symbol string) *Entry { return c.inSets(symbol) }

// ofPresent is a role that several metrics of a set play, by those of them that a table of another program has: the highest of
// these stands for all. It is the entry itself where all are there, or none.
func (s *scope) ofPresent(e *Entry) *Entry {
	if e.Set == nil || !IsRole(e.Name) {
		return e
	}
	if out, ok := s.present[e]; ok {
		return out
	}
	s.present[e] = e
	var have []*Entry
	for _, name := range e.Inputs {
		if one := e.sibling(name); one != nil && s.standIn(one) != nil {
			have = append(have, one)
		}
	}
	if len(have) == 0 || len(have) == len(e.Inputs) {
		return e
	}
	for _, cat := range s.cats {
		if cat.id != e.GPU {
			continue
		}
		if out, err := cat.highest(e.Name, have); err == nil {
			s.present[e] = out
		}
	}
	return s.present[e]
}
