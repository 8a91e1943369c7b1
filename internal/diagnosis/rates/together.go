package rates

import "slices"

// Together is a measurement with the families of each script as one, which has more cases than each of them: what a script
// is worth on all models that were measured.
func (x *Rates) Together() *Rates {
	out := &Rates{Date: x.Date, Rules: x.Rules, Model: x.Model, Mapping: x.Mapping}
	for i := range x.Families {
		from := &x.Families[i]
		name := from.Name
		if f := findFamily(name); f != nil {
			name = f.script
		}
		to := out.family(name)
		for _, r := range from.Runs {
			r.Kind = from.Name + " " + r.Kind
			to.Runs = append(to.Runs, r)
		}
		for _, r := range from.Rows {
			to.addRow(r)
		}
		for _, c := range from.Confusion {
			to.confuse(c)
		}
	}
	out.sort()
	return out
}

// ofScript is the family of a script that names most limiters, nil where there is none: that of several together.
func ofScript(script string) (most *family) {
	for i := range families {
		if f := &families[i]; f.script == script && (most == nil || len(f.names) > len(most.names)) {
			most = f
		}
	}
	return most
}

// order is where a family, or several of a script together, stands.
func order(name string) int {
	if i := slices.Index(allFamilies(), name); i >= 0 {
		return i
	}
	return slices.IndexFunc(families, func(f family) bool { return f.script == name })
}
