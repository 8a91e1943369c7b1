package metrics

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// Variant is the formula of a metric on some generations of hardware through some graphics or compute APIs. In a
// catalogue file it is "variant GENERATIONS APIS FORMULA", the first two being lists such as "gfx7,gfx8" and
// "dx11,dx12,vk". Of a counter that is measured as it is there is no formula.
type Variant struct {
	Generations, APIs []string
	Expr              string

	once    sync.Once
	entry   *Entry // the metric with this formula
	err     error
	assumed string // what the reading took for granted
}

func parseVariant(text string) (*Variant, error) {
	gens, rest, _ := strings.Cut(text, " ")
	apis, expr, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if gens == "" || apis == "" {
		return nil, fmt.Errorf("variant %q, want generations, APIs and a formula", text)
	}
	return &Variant{Generations: strings.Split(gens, ","), APIs: strings.Split(apis, ","),
		Expr: strings.TrimSpace(expr)}, nil
}

// Where says for which hardware the variant holds, such as "gfx7 gfx8 (dx11 dx12 vk)".
func (v *Variant) Where() string {
	return strings.Join(v.Generations, " ") + " (" + strings.Join(v.APIs, " ") + ")"
}

// finishVariants completes an entry that has variants. Their formulas are parsed when they are asked for.
func (e *Entry) finishVariants(metric bool) error {
	if e.Expr != "" {
		return fmt.Errorf("%s has a formula beside its variants", e.Name)
	}
	var lines []string
	for _, v := range e.Variants {
		if metric != (v.Expr != "") {
			return fmt.Errorf("%s %s: a metric has a formula and a counter has none", e.Kind, e.Name)
		}
		if metric {
			lines = append(lines, v.Where()+": "+v.Expr)
		}
	}
	e.Expr = strings.Join(lines, "\n")
	return nil
}

// Metric returns the metric with the variant's formula. It is made once.
func (v *Variant) Metric(e *Entry) (*Entry, error) {
	v.once.Do(func() {
		x, assumed, err := formula.ParseLenient(e.Dialect, v.Expr)
		if err != nil {
			v.err = fmt.Errorf("metric %s for %s: %w", e.Name, v.Where(), err)
			return
		}
		one := *e
		one.Variants = nil
		one.Expr, one.expr, one.Inputs = v.Expr, x, x.Names()
		if v.assumed = assumed; assumed != "" {
			one.Doc += " As published the program leaves an operand unused."
		}
		v.entry = &one
	})
	return v.entry, v.err
}

// Formula returns the parsed formula of a metric, nil of a counter and of a metric whose formula depends on the
// hardware.
func (e *Entry) Formula() *formula.Expr { return e.expr }

// Generations lists the generations of hardware that the entry exists on, in ascending order; nil where that is no
// question.
func (e *Entry) Generations() []string {
	return e.collect(func(v *Variant) []string { return v.Generations })
}

// APIs lists the APIs through which the entry exists; nil where that is no question.
func (e *Entry) APIs() []string { return e.collect(func(v *Variant) []string { return v.APIs }) }

func (e *Entry) collect(of func(*Variant) []string) []string {
	var out []string
	for _, v := range e.Variants {
		for _, x := range of(v) {
			if !slices.Contains(out, x) {
				out = append(out, x)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return apiOrder(a) - apiOrder(b) })
	if out != nil && strings.HasPrefix(out[0], "gfx") {
		slices.Sort(out)
	}
	return out
}

// apis are the names of APIs in captures' properties, with other spellings of each.
var apis = [...][]string{
	{"gl", "opengl", "gles", "opengles"}, {"dx11", "d3d11", "directx11"}, {"dx12", "d3d12", "directx12"},
	{"vk", "vulkan"}, {"cl", "opencl"}, {"hsa", "rocr"},
}

func apiOrder(api string) int {
	return slices.IndexFunc(apis[:], func(names []string) bool { return names[0] == api })
}

// hardware is what a capture says of the GPU generation and the API that it was measured through; "" where it does not.
type hardware struct{ generation, api string }

func hardwareOf(cap *capture.Capture) hardware {
	var h hardware
	if p, ok := cap.Property("generation"); ok {
		h.generation = strings.ToLower(strings.TrimSpace(p.Text))
		if !p.IsText {
			h.generation = fmt.Sprint(p.Number)
		}
		if h.generation != "" && !strings.HasPrefix(h.generation, "gfx") {
			h.generation = "gfx" + h.generation
		}
		if _, asic, ok := strings.Cut(h.generation,
			":"); ok { // AMD writes an ASIC of its own programs as GFX11:gfx1103
			h.generation = asic
		}
		h.generation = GenerationOf(h.generation)
	}
	if p, ok := cap.Property("asic"); ok && h.generation == "" {
		if name := strings.ReplaceAll(strings.ToLower(p.Text), "_",
			""); GenerationOf(name) != name { // GFX10_3_0 is gfx1030
			h.generation = GenerationOf(name)
		}
	}
	if p, ok := cap.Property("api"); ok {
		h.api = strings.ToLower(strings.TrimSpace(p.Text))
		for _, names := range apis {
			if slices.Contains(names, h.api) {
				h.api = names[0]
			}
		}
	}
	return h
}

func (h hardware) fits(v *Variant) bool {
	return (h.generation == "" || slices.Contains(v.Generations, h.generation)) &&
		(h.api == "" || slices.Contains(v.APIs, h.api))
}

// variantError says that a metric has no formula for a capture's hardware, or several.
type variantError struct {
	Name            string
	Generation, API string   // what the capture says; "" where it does not
	Exists          []string // where the metric exists, or which variants fit
	Ambiguous       bool
	Unset           []string // properties that would decide
}

func (e *variantError) Error() string {
	if e.Ambiguous {
		return fmt.Sprintf("%s has %d formulas that fit, because the capture does not say its %s: set the %s; there are %s",
			e.Name, len(e.Exists), strings.Join(e.Unset, " and its "), properties(e.Unset),
			strings.Join(e.Exists, ", "))
	}
	on := e.Generation
	if e.API != "" {
		on = strings.TrimSpace(on + " with " + e.API)
	}
	return fmt.Sprintf("%s does not exist on %s; it exists on %s", e.Name, on, strings.Join(e.Exists, ", "))
}

func properties(names []string) string {
	if len(names) == 1 {
		return "property " + names[0]
	}
	return "properties " + joinAnd(names)
}

// on returns the metric with the formula that holds for some hardware; e itself where it has only one.
func (e *Entry) on(h hardware) (*Entry, error) {
	if len(e.Variants) == 0 || !e.IsMetric() {
		return e, nil
	}
	var fit []*Variant
	for _, v := range e.Variants {
		if h.fits(v) {
			fit = append(fit, v)
		}
	}
	fail := &variantError{Name: e.Title, Generation: h.generation, API: h.api}
	if len(fit) == 0 {
		for _, v := range e.Variants {
			fail.Exists = append(fail.Exists, v.Where())
		}
		return nil, fail
	}
	for _, v := range fit[1:] {
		if v.Expr != fit[0].Expr {
			fail.Ambiguous = true
		}
	}
	if !fail.Ambiguous {
		return fit[0].Metric(e)
	}
	if h.generation == "" {
		fail.Unset = append(fail.Unset, "generation")
	}
	if h.api == "" {
		fail.Unset = append(fail.Unset, "api")
	}
	for _, v := range fit {
		fail.Exists = append(fail.Exists, v.Where())
	}
	return nil, fail
}

// For returns the entry as it is on one generation of hardware and through one API, of which either may be "" for any:
// with the variants that fit, and with the formula itself where that is one. The error is a *variantError where it does
// not exist there.
func (e *Entry) For(generation, api string) (*Entry, error) {
	h := hardware{GenerationOf(generation), strings.ToLower(api)}
	one := *e
	one.Variants = nil
	fail := &variantError{Name: e.Title, Generation: h.generation, API: h.api}
	for _, v := range e.Variants {
		if h.fits(v) {
			one.Variants = append(one.Variants, v)
		}
		fail.Exists = append(fail.Exists, v.Where())
	}
	if len(one.Variants) == 0 {
		if len(e.Variants) == 0 {
			fail.Exists = []string{e.GPU}
		}
		return nil, fail
	}
	if !e.IsMetric() {
		return &one, nil
	}
	if m, err := e.on(h); err == nil {
		exact := *m
		exact.Variants = one.Variants
		return &exact, nil
	}
	var lines []string
	for _, v := range one.Variants {
		lines = append(lines, v.Where()+": "+v.Expr)
	}
	one.Expr = strings.Join(lines, "\n")
	return &one, nil
}

// undecided is a metric whose every value is missing because the capture does not say on what hardware it was measured.
func (e *Entry) undecided(property string) (*Entry, error) {
	x, err := formula.Parse(formula.Streamline, "$"+property)
	if err != nil {
		return nil, err
	}
	one := *e
	one.Variants, one.expr, one.Dialect, one.Inputs = nil, x, formula.Streamline, nil
	return &one, nil
}
