package metrics

import (
	"fmt"
	"slices"
	"strings"

	"astrolabe/capture"
)

// A role is what a metric is of, whatever the vendor calls it on one product or another: "queue:fragment". Rules that
// ask for roles hold for every product whose catalogue says which of its metrics plays them. No two metrics of a
// product play one role, but for those of metric sets, see setrole.go.

// RoleKind is what roles of a kind measure.
type RoleKind struct{ Name, Doc string }

// roleKinds are the kinds of roles that there are. Catalogues choose the names of roles, and rules of several products
// need the same ones.
var roleKinds = []RoleKind{
	{"queue", "share of the time with work in which a hardware queue has some, in percent"},
	{"phase", "share of the time with work in which shader cores do work of one kind, in percent"},
	{"busy", "share of the clocks in which something works, in percent"},
	{"unit", "how near a unit is to as much as it can do, in percent"},
	{"stall", "share of the time with work, or of the clocks, in which something holds up what uses it, in percent"},
	{"input", "share of the clocks in which work waits in front of a unit, in percent"},
	{"output", "share of the clocks in which a unit has results that wait to be taken, in percent"},
	{"client", "what one user of memory reads from it or writes, in bytes"},
	{"count", "how many of something there were"},
	{"share", "share of what is worked on that is of one sort, such as primitives that can be seen, in percent"},
}

// parseRole reads "KIND NAME" and gives "KIND:NAME".
func parseRole(text string) (string, error) {
	kind, name, _ := strings.Cut(text, " ")
	name = strings.TrimSpace(name)
	if !slices.ContainsFunc(roleKinds, func(k RoleKind) bool { return k.Name == kind }) {
		return "", fmt.Errorf("unknown kind of role %q, want %s", kind, joinOr(RoleKindNames()))
	}
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return "", fmt.Errorf("the name of role %q is of small letters, digits and _", text)
	}
	return kind + ":" + name, nil
}

// IsRole reports whether a name is that of a role, such as "queue:fragment", and no name of a metric.
func IsRole(name string) bool {
	kind, _, ok := strings.Cut(name, ":")
	return ok && slices.Contains(RoleKindNames(), kind)
}

// RoleKindNames are the names of the kinds.
func RoleKindNames() []string {
	var out []string
	for _, k := range roleKinds {
		out = append(out, k.Name)
	}
	return out
}

// checkRoles refuses a role that two entries play; lines says where the file gave an entry its roles.
func (c *Catalogue) checkRoles(lines map[*Entry]int) (line int, err error) {
	player := map[string]*Entry{}
	for _, e := range c.entries {
		if e.Set != nil {
			continue
		}
		for _, r := range e.Roles {
			if other := player[r]; other != nil {
				return max(lines[other], lines[e]), fmt.Errorf("role %s is played by %s and by %s", r,
					other.Name, e.Name)
			}
			player[r] = e
		}
	}
	return 0, nil
}

// Roles lists the roles of a kind that metrics of a capture's catalogues play, in the order of these; all roles where
// kind is "". The error names the kinds that there are.
func Roles(cap *capture.Capture, kind string) ([]string, error) {
	if kind != "" && !slices.Contains(RoleKindNames(), kind) {
		return nil, fmt.Errorf("unknown kind of role %q, want %s", kind, joinOr(RoleKindNames()))
	}
	var out []string
	seen := map[string]bool{}
	for _, c := range For(cap) {
		for _, e := range c.entries {
			for _, r := range e.Roles {
				if !seen[r] && (kind == "" || strings.HasPrefix(r, kind+":")) {
					seen[r] = true
					out = append(out, r)
				}
			}
		}
	}
	return out, nil
}
