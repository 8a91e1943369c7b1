// Package lint finds mistakes in scripts without running them: what Starlark accepts silently (a counter looked for
// with in), what fails only when the line is reached (unknown names of counters, attributes and keyword arguments), and
// what is left over (variables, loads and captures that nothing uses). General checks of Starlark come from buildtools.
//
// A finding can be silenced where it stands by a comment on its line, or alone on the line above:
//
//	x = 1  # lint: ignore=unused-variable
package lint

import (
	"cmp"
	"fmt"
	"slices"

	"go.starlark.net/syntax"

	"astrolabe/internal/script"
	"astrolabe/internal/script/infer"
)

// Finding is one thing that lint found. Lines and columns count from 1, columns in characters; the end is behind the
// last one.
type Finding struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Col     int    `json:"col"`
	EndLine int    `json:"end_line"`
	EndCol  int    `json:"end_col"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Fixes   []Fix  `json:"fixes,omitempty"` // any one of which may mend it
}

// Fix is a change of the text, from a place to one behind it, that is likely what was meant.
type Fix struct {
	Title   string `json:"title"`
	Line    int    `json:"line"`
	Col     int    `json:"col"`
	EndLine int    `json:"end_line"`
	EndCol  int    `json:"end_col"`
	Text    string `json:"text"` // in place of what stands there
}

// String is the finding as compilers print theirs.
func (f Finding) String() string {
	return fmt.Sprintf("%s:%d:%d: %s [%s]", f.File, f.Line, f.Col, f.Message, f.Code)
}

// Check is one thing that lint looks for.
type Check struct {
	Code string
	Doc  string
}

// The codes of our own checks.
const (
	codeSyntax    = "syntax"
	codeUndefined = "undefined"
	codeLoad      = "load"
	codeCompare   = "counter-compare"
	codeTruth     = "counter-truth"
	codeName      = "unknown-counter"
	codeAmbiguous = "ambiguous-counter"
	codeFormula   = "formula"
	codeGPU       = "unknown-gpu"
	codeAttribute = "unknown-attribute"
	codeArguments = "arguments"
	codeVariable  = "unused-variable"
	codeUnLoad    = "unused-load"
	codeCapture   = "unused-capture"
	codeResult    = "unused-result"
	codeIgnore    = "bad-ignore"
)

var ownChecks = []Check{
	{codeSyntax, "The file is no Starlark."},
	{codeUndefined, "A name that nothing defines, or one that is bound where the language does not allow it."},
	{codeLoad, "A file that cannot be loaded, or that lacks the name which is loaded from it."},
	{codeCompare,
		"A Counter or Mask compared with an operator, which ends the run, or looked for in a list of numbers, which is silently False; use the methods eq, lt and so on."},
	{codeTruth,
		"A Counter or Mask where one bool is needed, such as in if, and, or, not, any([…]): that ends the run."},
	{codeName,
		"A counter or metric that the catalogue of the GPU does not have. The GPU is known by gpu= of open and from_columns, by the argument of metrics.get, or by a comment \"# gpu: ID\"."},
	{codeAmbiguous, "A name that stands for several metrics of the catalogue."},
	{codeFormula, "A formula that cannot be read, or only with a bracket more or less than it has."},
	{codeGPU, "A GPU that no catalogue describes."},
	{codeAttribute, "An attribute or method that the type or module does not have."},
	{codeArguments,
		"A keyword that a function of astrolabe does not take, an argument too many, or one that is missing."},
	{codeVariable, "A variable of a function that is never read. Names that begin with _ may be unused."},
	{codeUnLoad, "A name that is loaded and not used."},
	{codeCapture, "A capture that is opened or recorded and not used."},
	{codeResult, "A call whose result is its only effect, as a statement: values never change."},
	{codeIgnore, "A comment that ignores a code which does not exist."},
}

// Checks lists everything that lint looks for, by code.
func Checks() []Check {
	all := slices.Concat(ownChecks, generalChecks)
	slices.SortFunc(all, func(a, b Check) int { return cmp.Compare(a.Code, b.Code) })
	return all
}

// checker looks through one file.
type checker struct {
	f        *infer.File
	findings []Finding

	definitions *definitions        // nil until asked for
	lines       []int               // where lines begin, once asked for
	lacking     map[[2]string]error // why catalogues have no such name, by both
}

// Run returns what is to be said about a file, in the order of its lines. World is what the file's loads are read with.
func Run(world *infer.World, s *script.Source) []Finding { return File(world.Read(s)) }

// File is Run for a file that was read already.
func File(f *infer.File) []Finding {
	c := &checker{f: f}
	c.resolved()
	if f.Syntax != nil {
		c.gpuComment()
		c.loads()
		c.unused()
		c.expressions()
		c.general()
	}
	findings := c.ignored()
	slices.SortFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(findings, func(a, b Finding) bool {
		return a.String() == b.String() && a.EndLine == b.EndLine && a.EndCol == b.EndCol
	})
}

// at notes a finding about a node.
func (c *checker) at(n syntax.Node, code, format string, args ...any) {
	start, end := infer.Span(n)
	c.span(start, end, code, format, args...)
}

func (c *checker) span(start, end syntax.Position, code, format string, args ...any) {
	f := Finding{File: c.f.Source.Name, Line: int(start.Line), Col: int(start.Col), EndLine: int(end.Line),
		EndCol: int(end.Col), Code: code, Message: fmt.Sprintf(format, args...)}
	f.Line, f.Col = max(1, f.Line), max(1, f.Col)
	if f.EndLine < f.Line || f.EndLine == f.Line && f.EndCol <= f.Col {
		f.EndLine, f.EndCol = f.Line, f.Col+1
	}
	c.findings = append(c.findings, f)
}
