package metrics

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// addInstances gives a metric one instance per CPU, core or slice where all its instanced inputs have the same ones.
func (s *scope) addInstances(c *capture.Counter, e *Entry) {
	ids := commonInstances(c.Der.Operands())
	for _, id := range ids {
		sel := &selection{ids: []string{id}, single: true, label: "[" + id + "]"}
		in := &capture.Counter{Meta: c.Meta, Axis: c.Axis}
		in.Name += sel.label
		in.Meta.Instance = id
		in.Der = &lazyDerivation{make: func() (capture.Derivation, error) {
			out, err := s.restricted(sel).compile([]*Entry{e})
			if err != nil {
				return nil, err
			}
			if out[0].Der == nil { // a column stands in for the formula
				return capture.Identity(out[0]), nil
			}
			return out[0].Der, nil
		}, expr: c.Expr}
		c.Instances = append(c.Instances, in)
	}
}

// commonInstances lists the instance ids that all instanced counters share; nil where they differ or there are none.
func commonInstances(counters []*capture.Counter) []string {
	var ids []string
	for _, c := range counters {
		if len(c.Instances) == 0 {
			continue
		}
		own := instanceIDs(c)
		if ids != nil && !slices.Equal(ids, own) {
			return nil
		}
		ids = own
	}
	return ids
}

func instanceIDs(c *capture.Counter) []string {
	ids := make([]string, len(c.Instances))
	for i, in := range c.Instances {
		ids[i] = in.Meta.Instance
	}
	return ids
}

// lazyDerivation compiles a formula when it is first used: a machine with many CPUs has more instances of metrics than
// anyone looks at.
type lazyDerivation struct {
	make func() (capture.Derivation, error)
	expr string
	once sync.Once
	der  capture.Derivation
}

func (d *lazyDerivation) get() capture.Derivation {
	d.once.Do(func() {
		der, err := d.make()
		if err != nil {
			der = failedDerivation{d.expr, err}
		}
		d.der, d.make = der, nil
	})
	return d.der
}

// Formula is the compiled formula.
func (d *lazyDerivation) Formula() capture.Derivation { return d.get() }

func (d *lazyDerivation) Expr() string                        { return d.expr }
func (d *lazyDerivation) Operands() []*capture.Counter        { return d.get().Operands() }
func (d *lazyDerivation) Eval(dst []float64, from int)        { d.get().Eval(dst, from) }
func (d *lazyDerivation) Aggregate(b *capture.Bins) []float64 { return d.get().Aggregate(b) }
func (d *lazyDerivation) Why(i int) capture.Reason            { return d.get().Why(i) }
func (d *lazyDerivation) Warnings() []string                  { return d.get().Warnings() }

// failedDerivation is a formula that could not be compiled for an instance. Every value is missing.
type failedDerivation struct {
	expr string
	err  error
}

func (d failedDerivation) Expr() string                 { return d.expr }
func (d failedDerivation) Operands() []*capture.Counter { return nil }
func (d failedDerivation) Eval(dst []float64, _ int)    { fillMissing(dst) }
func (d failedDerivation) Aggregate(b *capture.Bins) []float64 {
	out := make([]float64, b.Len())
	fillMissing(out)
	return out
}
func (d failedDerivation) Why(int) capture.Reason {
	return capture.Reason{Code: capture.Unsupported, Text: d.err.Error()}
}
func (d failedDerivation) Warnings() []string { return nil }

func fillMissing(dst []float64) { copy(dst, capture.MissingData(len(dst)).F) }

// cluster resolves the names by which Streamline addresses processor clusters and their cores: NAME.Cluster[2],
// NAME.Cluster[0..N] for all of them, and NAME.Core[3]. ok is false for other names.
func (s *scope) cluster(name string) (c *capture.Counter, ok bool, err error) {
	name = strings.TrimPrefix(strings.TrimSpace(name), "$")
	dot := strings.LastIndexByte(name, '.')
	if dot > 0 && strings.HasSuffix(name, "..N]") {
		dot = strings.LastIndex(name[:len(name)-4], ".")
	}
	if dot <= 0 || s.sel != nil {
		return nil, false, nil
	}
	base, suffix := name[:dot], name[dot+1:]
	kind, id, indexed := cutInstance(suffix)
	if !indexed {
		kind = suffix
	}
	switch strings.ToLower(kind) {
	case "core", "cores":
		if !indexed {
			return nil, false, nil
		}
		c, err = s.resolve(fmt.Sprintf("%s[%s]", base, id))
		return c, true, err
	case "cluster", "clusters":
	default:
		return nil, false, nil
	}
	clusters := s.clusters()
	if len(clusters) == 0 {
		return nil, true, &UnknownError{Name: name, Note: "the capture does not say which cluster its CPUs belong to"}
	}
	if indexed && !strings.Contains(id, "..") {
		ids, ok := clusters[id]
		if !ok {
			return nil, true, &UnknownError{Name: name, Note: "the capture has the clusters " +
				joinAnd(sortedClusters(clusters))}
		}
		c, err = s.oneCluster(base, id, ids)
		return c, true, err
	}
	whole, err := s.resolve(base)
	if err != nil {
		return nil, true, err
	}
	out := &capture.Counter{Meta: whole.Meta, Axis: whole.Axis, Der: whole.Der, Pass: whole.Pass, Turn: whole.Turn,
		Reasons: whole.Reasons, Warnings: whole.Warnings}
	out.Name += ".Cluster"
	for _, id := range sortedClusters(clusters) {
		in, err := s.oneCluster(base, id, clusters[id])
		if err != nil {
			return nil, true, err
		}
		out.Instances = append(out.Instances, in)
	}
	return out, true, nil
}

// oneCluster resolves base for the CPUs of one cluster.
func (s *scope) oneCluster(base, id string, cpus []string) (*capture.Counter, error) {
	c, err := s.restricted(&selection{ids: cpus, label: ".Cluster[" + id + "]"}).resolve(base)
	if err != nil {
		return nil, err
	}
	if c.Der == nil && len(c.Instances) == 0 && c.Col != nil {
		return nil, &UnknownError{Name: fmt.Sprintf("%s.Cluster[%s]", base, id),
			Note: base + " was not measured per CPU"}
	}
	return c, nil
}

// clusters maps cluster numbers to the CPUs in them, from the capture's properties "cpu_cluster.CPU".
func (s *scope) clusters() map[string][]string {
	out := map[string][]string{}
	for _, p := range s.cap.Properties {
		if cpu, ok := strings.CutPrefix(p.Name, "cpu_cluster."); ok && !p.IsText {
			id := strconv.FormatFloat(p.Number, 'f', -1, 64)
			out[id] = append(out[id], cpu)
		}
	}
	return out
}

func sortedClusters(m map[string][]string) []string {
	ids := make([]string, 0, len(m))
	for id := range m {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return ids
}

var _ capture.Derivation = (*lazyDerivation)(nil)

// traceOf finds the formula behind a derived counter.
func traceOf(c *capture.Counter, i int) (*formula.Trace, bool) {
	of, bins := c.Beneath()
	switch {
	case of != nil && i < 0:
		return formula.ExplainBin(c.Der, c.Axis.Whole())
	case of != nil:
		return formula.ExplainBin(of.Der, bins.Only(i))
	}
	d := c.Der
	if l, ok := d.(*lazyDerivation); ok {
		d = l.get()
	}
	return formula.Explain(d, i)
}
