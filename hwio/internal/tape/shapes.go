package tape

import (
	_ "embed"
	"encoding/binary"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"astrolabe/hwio/internal/gpumetrics"
)

//go:embed files.csv
var fileTable string

//go:embed words.txt
var wordTable string

// rule is a line of files.csv.
type rule struct {
	kind, pattern, shape string
	args                 []string
}

var rules = sync.OnceValue(func() []rule {
	var out []rule
	for line := range strings.Lines(fileTable) {
		f := strings.SplitN(strings.TrimSpace(line), ",", 3)
		if len(f) != 3 || line[0] == '#' {
			continue
		}
		r := rule{kind: f[0], pattern: f[1], shape: f[2]}
		if r.kind != Names {
			words := strings.Fields(f[2])
			if len(words) > 1 {
				r.shape, r.args = words[0], words[1:]
			}
		}
		out = append(out, r)
	}
	return out
})

var words = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(wordTable) {
		if line[0] != '#' {
			for _, w := range strings.Fields(line) {
				out[w] = true
			}
		}
	}
	return out
})

// allowed is the rule for what is reached at a path.
func allowed(kind, p string) (rule, bool) {
	for _, r := range rules() {
		if ok, _ := path.Match(r.pattern, p); ok && r.kind == kind {
			return r, true
		}
	}
	return rule{}, false
}

// expression compiles one when it is first needed, so that programs that keep nothing on tape start without them.
func expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

var (
	busAddress = expression(`\b[0-9a-f]{4,8}[:_][0-9a-f]{2}[:_][0-9a-f]{2}\.[0-7]\b|[0-9a-f]{4}_[0-9a-f]{2}_[0-9a-f]{2}\.[0-7]\b`)
	number     = expression(`^\s*[-+]?(0[xX][0-9a-fA-F]{1,16}|[0-9]{1,20}(\.[0-9]{1,6})?)\s*$`)
	piece      = expression(`[A-Za-z][A-Za-z0-9]*|[0-9]+[A-Za-z0-9]*|\s+|.`)
	release    = expression(`^[0-9]{1,3}\.[0-9]{1,4}(\.[0-9]{1,5})?`)
	cpus       = expression(`^\s*([0-9]{1,5}(-[0-9]{1,5})?(,[0-9]{1,5}(-[0-9]{1,5})?)*)?\s*$`)
	// figure is a number with a unit, or a part of a device's model, which digits make up in the main.
	figure = expression(`^([0-9]{1,6}|0x[0-9a-fA-F]{1,4})([kKMGTm]?[Hh]z|[kMG]B|[CW%xX*]|GT)?$`)
	// modelNumber is what makers call processors: four or five digits with up to two letters.
	modelNumber = expression(`^([iIwWeEvV]?[0-9]{1,5}[A-Z]{0,2}[0-9]?)$`)
)

// clean replaces what is no known word, number or punctuation. A text has at most some lines.
func clean(text string) string {
	var out strings.Builder
	for _, p := range piece().FindAllString(text, -1) {
		switch c := p[0]; {
		case c >= utf8.RuneSelf:
			out.WriteByte('?')
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			if !known(p) {
				p = "x"
			}
			out.WriteString(p)
		case c >= '0' && c <= '9':
			if !figure().MatchString(p) && !modelNumber().MatchString(p) && !known(p) {
				p = "0"
			}
			out.WriteString(p)
		default:
			out.WriteString(p)
		}
	}
	return out.String()
}

// known says whether a word is on the list, also with a number behind it.
func known(word string) bool {
	w := strings.ToLower(word)
	if words()[w] || words()[strings.TrimRight(w, "0123456789")] && len(w) < 24 {
		return true
	}
	return modelNumber().MatchString(word) && strings.ContainsAny(word, "0123456789")
}

// knownName is clean for names, of which one that is not known as a whole is none: a reader could not find it again.
// Numbers in it may be addresses of a chip.
func knownName(name string) bool {
	for _, p := range piece().FindAllString(name, -1) {
		switch c := p[0]; {
		case c >= utf8.RuneSelf || c == '/':
			return false
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			if !known(p) && !chipAddress().MatchString(p) {
				return false
			}
		case c >= '0' && c <= '9':
			if len(p) > 8 || !chipAddress().MatchString(p) && !known(p) && !figure().MatchString(p) {
				return false
			}
		}
	}
	return true
}

// chipAddress is where a part lies in the address space of a chip, which is the same for all chips of a kind.
var chipAddress = expression(`^[0-9a-f]{6,8}$`)

// nameFits says whether a name is of one of the forms, in which # stands for a number.
func nameFits(name, forms string) bool {
	if forms == "words" {
		return knownName(busAddress().ReplaceAllString(name, ""))
	}
	for form := range strings.FieldsSeq(forms) {
		before, after, _ := strings.Cut(form, "#")
		digits, ok := strings.CutPrefix(name, before)
		if digits, ok2 := strings.CutSuffix(digits, after); ok && ok2 && digits != "" && len(digits) <= 5 &&
			strings.Trim(digits, "0123456789") == "" {
			return true
		}
	}
	return false
}

// shape keeps of a file's content what its rule allows. ok is false where it is nothing of that form.
func shape(r rule, data []byte) (kept []byte, ok bool) {
	text := string(data)
	switch r.shape {
	case "number":
		return data, number().Match(data)
	case "numbers":
		return data, figures().MatchString(text)
	case "list":
		return data, cpus().Match(data)
	case "words":
		return []byte(clean(text)), len(text) < 1<<16
	case "terms":
		return data, terms(text)
	case "format":
		return data, bitFormat().MatchString(text)
	case "scale":
		return data, scale().MatchString(text)
	case "pressure":
		return keepLines(text, func(line string) (string, bool) { return line, stalls().MatchString(line) }), true
	case "gpu_metrics":
		kept = gpumetrics.Known(data)
		return kept, kept != nil
	case "release":
		v := release().FindString(text)
		return []byte(v + "\n"), v != ""
	case "keys":
		return keepLines(text, func(line string) (string, bool) {
			key, value, _ := strings.Cut(line, ":")
			return line, slices.Contains(r.args, key) && plainValue().MatchString(value)
		}), true
	case "stat":
		return keepLines(text, statLine), true
	case "cpuinfo":
		return keepLines(text, cpuLine), true
	case "auxv":
		return auxv(data), true
	}
	return nil, false
}

var (
	figures    = expression(`^\s*[0-9]{1,12}(\.[0-9]{1,6})?([ @/][0-9]{1,12}(\.[0-9]{1,6})?)*([kMG]?[Hh]z|%)?\s*$`)
	plainValue = expression(`^[\s0-9a-f]{1,64}( kB)?\s*$`)
	statFields = expression(`^(cpu[0-9]{0,5}|ctxt|processes|procs_running|procs_blocked)( +[0-9]{1,20})+\s*$`)
	bitFormat  = expression(`^config[0-9]?:[0-9]{1,2}(-[0-9]{1,2})?(,[0-9]{1,2}(-[0-9]{1,2})?)*\s*$`)
	scale      = expression(`^[0-9]{1,6}(\.[0-9]{1,40})?(e[-+]?[0-9]{1,3})?\s*$`)
	termValue  = expression(`^(0x[0-9a-fA-F]{1,16}|[0-9]{1,20}|\?)$`)
	stalls     = expression(`^(some|full)( avg[0-9]+=[0-9]{1,3}\.[0-9]{2}){3} total=[0-9]{1,20}\s*$`)
	statTotal  = expression(`^(intr|softirq) [0-9]{1,20}`)
)

func keepLines(text string, keep func(string) (string, bool)) []byte {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if kept, ok := keep(line); ok {
			out.WriteString(kept)
		}
	}
	return []byte(out.String())
}

// terms says whether a text describes an event of a counter unit: known words, each with a number. One of them less would
// be another event.
func terms(text string) bool {
	for term := range strings.SplitSeq(strings.TrimSpace(text), ",") {
		key, value, given := strings.Cut(term, "=")
		if key == "" || len(key) > 24 || !knownName(key) || given && !termValue().MatchString(value) {
			return false
		}
	}
	return true
}

// statLine keeps the counts of processors, and totals.
func statLine(line string) (string, bool) {
	if total := statTotal().FindString(line); total != "" {
		return total + "\n", true
	}
	return line, statFields().MatchString(line)
}

// cpuLine keeps what says which processor it is.
func cpuLine(line string) (string, bool) {
	key, value, found := strings.Cut(line, ":")
	switch strings.TrimSpace(key) {
	case "processor", "cpu family", "model", "stepping", "CPU implementer", "CPU variant", "CPU part", "CPU revision",
		"CPU architecture", "physical id", "core id":
		return line, number().MatchString(value)
	case "vendor_id", "model name":
		return key + ":" + clean(value), true
	}
	return "\n", !found && strings.TrimSpace(line) == ""
}

// auxv keeps the size of pages and the unit of times from the auxiliary vector of a program of 64 bits.
func auxv(data []byte) []byte {
	var out []byte
	for ; len(data) >= 16; data = data[16:] {
		switch binary.LittleEndian.Uint64(data) {
		case 0, 6, 17:
			out = append(out, data[:16]...)
		}
	}
	return out
}
