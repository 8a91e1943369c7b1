package mistakes

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/capture/spelling"
)

// elsewhere are names that people know from other languages and libraries, and what stands for them here.
var elsewhere = map[string]string{
	"true": "the language's own is True", "false": "the language's own is False", "TRUE": "the language's own is True",
	"FALSE": "the language's own is False",
	"null":  "it is None", "nil": "it is None", "none": "it is None", "undefined": "it is None", "NULL": "it is None",
	"nan": "it is math.nan; a missing value is None", "NaN": "it is math.nan; a missing value is None",
	"inf":        "it is math.inf",
	"np":         "there is no numpy: counters calculate as columns, c.mean(), c.percentile(95), c * 2; math has functions of one number",
	"pd":         "there is no pandas: capture.open(path) opens a capture, cap[\"Name\"] is a column, cap.summary() describes all",
	"pl":         "there is no polars: capture.open(path) opens a capture, cap[\"Name\"] is a column, cap.summary() describes all",
	"df":         "there is no data frame: capture.open(path) opens a capture, cap[\"Name\"] is a column",
	"plt":        "there is no matplotlib: plot.timeline(c).save(\"x.png\") draws; help(plot) lists the charts",
	"os":         "scripts have no os: read(path), write(path, text) and args are there",
	"sys":        "scripts have no sys: args are the arguments, fail(\"why\") ends with status 1",
	"re":         "there are no regular expressions: text has find, split, startswith, endswith and replace",
	"random":     "a script gives the same answer every time: there is no random",
	"datetime":   "time.parse_time and time.from_timestamp make times; time.now needs --allow=clock",
	"statistics": "counters have mean(), median(), std(); stats has the rest",
	"subprocess": "capture.record(…, command = […]) measures a command",
	"itertools":  "loops are written out, or as [f(x) for x in y]",
	"isinstance": "type(x) == \"list\" tells the type", "callable": "type(x) tells the type",
	"id": "values have no identity", "vars": "help(x) and dir(x) list what x has",
	"open":  "capture.open(path) opens a capture; read(path) gives the text of a file",
	"input": "scripts ask nothing: args and flags(…) are what they are given",
	"exec":  "code cannot be made from text; load(\"file.star\", \"name\") takes it from a file",
	"eval":  "cap.eval(\"$A / $B\") evaluates a formula", "map": "write [f(x) for x in list]",
	"filter": "write [x for x in list if f(x)]; of samples cap.where(mask)",
	"reduce": "write a loop; sum(list) adds", "pow": "it is math.pow(x, y)", "divmod": "write x // y, x % y",
	"next": "write a loop, or x[0]", "iter": "for x in y: goes over anything",
	"format": "fmt(\"%.2f\", x) formats", "printf": "print(fmt(\"%.2f\", x)) prints", "println": "it is print(x)",
	"echo": "it is print(x)", "puts": "it is print(x)",
	"sprintf": "it is fmt(\"%.2f\", x)", "sleep": "scripts do not wait",
	"quit": "quit, exit or Ctrl-D leave a session; fail(\"why\") ends a script",
	"exit": "quit, exit or Ctrl-D leave a session; fail(\"why\") ends a script", "mean": "it is a method: c.mean()",
	"avg":     "it is a method: c.mean()",
	"average": "it is a method: c.mean()", "median": "it is a method: c.median()", "std": "it is a method: c.std()",
	"stdev":      "it is a method: c.std()",
	"percentile": "it is a method: c.percentile(95)", "quantile": "it is a method: c.percentile(95)",
	"count": "it is a method: c.count(), or len(x)",
	"total": "it is a method: c.total(), or cap.total(\"Name\")", "size": "it is len(x)", "length": "it is len(x)",
	"self": "there are no classes", "this": "there are no classes",
	"struct":     "keep values in a dict: {\"name\": value}",
	"astrolabe":  "everything is there already: capture, metrics, plot, report, stats, table",
	"argv":       "the arguments are args; the name of the script is not among them",
	"end":        "a block ends where its indentation does",
	"__name__":   "a script runs from its top; args are its arguments",
	"Exception":  "there are no exceptions: fail(\"why\") ends the script",
	"ValueError": "there are no exceptions: fail(\"why\") ends the script",
	"KeyError":   "there are no exceptions: test \"Name\" in cap",
	"display":    "in a session a value is shown by its name alone; plot.timeline(c).show() draws",
	"cap":        "no capture is open: cap = capture.open(path); astrolabe repl FILE and astrolabe -c CODE FILE bind it, a script opens args[0]",
	"bin":        "fmt(\"%b\", x) writes binary digits", "hex": "\"%x\" % x writes hexadecimal digits",
	"oct": "\"%o\" % x writes octal digits", "slice": "write x[a:b]",
	"assert": "it is for test files, whose names end in _test.star; elsewhere: if not x: fail(\"why\")",
}

var unquoted = regexp.MustCompile(`\w[ \t]*\[[ \t]*$`)

// reassigned finds the message about a name that a script binds twice.
var reassigned = regexp.MustCompile(`^cannot reassign (global|top-level) (\w+)`)

// resolved is a message of the resolver with what to write instead.
func resolved(message, before string, names starlark.StringDict) string {
	name, ok := strings.CutPrefix(message, "undefined: ")
	switch {
	case ok:
		return undefined(name, before, names)
	case strings.HasSuffix(message, "does not support while loops"):
		return "Starlark has no while, so that every script ends: for i in range(1000): … if done: break"
	case message == "keyword argument may not follow *args", message == "keyword argument may not follow **kwargs":
		return message + `: put it before, such as f(title = "x", *list)`
	case message == "positional argument may not follow named":
		return message + ": put it first, or give it its name too"
	case message == "positional argument may not follow *args",
		message == "positional argument may not follow **kwargs":
		return message + ": put it first, or into the list: f(*(list + [x]))"
	case message == "multiple *args not allowed":
		return message + ": join the lists, f(*(a + b))"
	case message == "multiple **kwargs not allowed":
		return message + ": join the dicts, f(**(a | b))"
	case message == "return statement not within a function":
		return message + `: a script ends at its last line, or with fail("why")`
	case strings.HasPrefix(message, "load statement within"):
		return message + ": load stands at the top of a file"
	case reassigned.MatchString(message):
		return message +
			": a script binds a name once at its top level. Use another name, or put the statements into a function"
	}
	return message
}

// undefined is the message about a name that nothing defines. The resolver itself looks for near names in the file, and
// puts them behind it.
func undefined(name, before string, names starlark.StringDict) string {
	name, near, _ := strings.Cut(name, " ")
	message := "undefined: " + name
	if near != "" {
		message += " " + near
	}
	if say := elsewhere[name]; say != "" {
		return "undefined: " + name + ": " + say
	}
	if near != "" {
		return message
	}
	known := slices.Concat(names.Keys(), starlark.Universe.Keys())
	known = slices.DeleteFunc(known, func(n string) bool { return !identifier.MatchString(n) })
	found := spelling.Near(name, known)
	switch member := memberNamed(name, names); {
	case len(found) > 0 && strings.EqualFold(found[0], name):
		message += fmt.Sprintf(" (did you mean %s?)", found[0])
	case unquoted.MatchString(before):
		message += `: the name of a counter is text, such as cap["` + name + `"]`
	case member != "":
		message += fmt.Sprintf(" (did you mean %s?)", member)
	case len(found) > 0:
		message += fmt.Sprintf(" (did you mean %s?)", found[0])
	default:
		message += ": nothing before this line binds it; text stands between quotes, help() lists what there is"
	}
	return message
}

var identifier = regexp.MustCompile(`^[A-Za-z]\w*$`)

// memberNamed finds a function that was named without its module.
func memberNamed(name string, names starlark.StringDict) string {
	for _, module := range names.Keys() {
		m, ok := names[module].(starlark.HasAttrs)
		if !ok || m.Type() != "module" {
			continue
		}
		if slices.Contains(m.AttrNames(), name) {
			return module + "." + name
		}
	}
	return ""
}
