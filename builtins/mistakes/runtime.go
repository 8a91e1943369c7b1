package mistakes

import (
	"regexp"
	"sync"
)

// runtime are messages of the interpreter, and what to write instead. $1 stands for the first group.
var runtime = sync.OnceValue(func() []answer {
	return []answer{
		{re(`builtin_function_or_method >> `), `print(x) writes to standard output, write(path, text) to a file`},
		{
			re(
				`^unknown binary op: (builtin_function_or_method|function) |^unknown binary op: \w+ \S+ (builtin_function_or_method|function)$|^(builtin_function_or_method|function) \S+ \w+ not implemented|^\w+ \S+ (builtin_function_or_method|function) not implemented`),
			`this is a function that was not called: put () behind its name`},
		{re(`^builtin_function_or_method has no \.`),
			`this is a function that was not called: put () behind its name, before the dot`},
		{re(`^invalid call of non-function \(Capture\)`), `a counter is cap["Name"], with square brackets`},
		{re(`^invalid call of non-function \(CounterMap\)`),
			`it is a value: leave out the (); a counter is cap["Name"]`},
		{re(`^invalid call of non-function \((Counter|Sample|Table|dict|list)\)`),
			`an item is taken with square brackets: x[i]`},
		{re(`^invalid call of non-function`), `it is a value and no function: leave out the ()`},
		{re(`^Capture value does not support item assignment`),
			`a capture never changes: name = cap["A"] / cap["B"] makes a counter, metrics.define a metric of the catalogue`},
		{re(`^(Counter|Mask) value does not support item assignment`),
			`a series never changes: arithmetic makes a new one, such as c * 2 or c.fill(0)`},
		{re(`^(string|tuple) value does not support item assignment`), `a $1 never changes: make a new one`},
		{re(`^can't assign to \.(\w+) field of`), `values never change: $1 = x binds a variable`},
		{re(`^unknown binary op: (string \+ (int|float|bool|NoneType|list|Counter)|(int|float) \+ string)$`),
			`text and numbers join with "%s of %d" % (a, b), or str(x)`},
		{re(`^unknown binary op: (Counter|Mask) \S+ string$|^unknown binary op: string \S+ (Counter|Mask)$`),
			`counters calculate with numbers and counters, such as c * 2 or c / d`},
		{re(`^unknown binary op: \w+ (not )?in Counter$`), `c.eq(5).any() tells whether a counter has a value`},
		{re(`^unknown binary op: Capture [+] Capture$`),
			`capture.concat([a, b]) puts captures one after the other, a.compare(b) compares them`},
		{re(`^unknown binary op: (Counter|Mask) (&|\||\^) `), `masks combine with masks: c.gt(5) & d.lt(3)`},
		{re(`^unknown binary op: NoneType|^unknown binary op: \w+ \S+ NoneType`),
			`a missing value is None: test it with x != None first`},
		{re(`^unknown unary op: - ?NoneType`), `a missing value is None: test it with x != None first`},
		{re(`^unknown unary op: ~`), `the opposite of a Mask is ~m; of one bool it is not x`},
		{re(`^list [<>]=? \w+ not implemented|^\w+ [<>]=? list not implemented`),
			`of a counter compare the counter, c.gt(5); of a list [v > 5 for v in list]`},
		{re(`^(string [<>]=? (int|float)|(int|float) [<>]=? string) not implemented`),
			`float(text) makes a number of a text`},
		{re(`^unknown conversion %|^unknown binary op: string % `),
			`% knows %s, %d, %r, %x and %g; fmt("%.2f", x) gives decimals`},
		{re(`^format spec features not supported`), `fmt("%.2f", x) gives decimals, fmt("%8d", n) a width`},
		{re(`format requires (integer|float).*NoneType`),
			`a missing value is None: test it with x != None first, or write it with %s`},
		{re(`^print: unexpected keyword argument "(end|file|flush)"`),
			`print takes sep only, and ends the line: join texts before, "".join(list)`},
		{re(`^print: unexpected keyword argument`), `print takes sep only`},
		{re(`^function (\w+) called recursively`),
			`Starlark has no recursion, so that every script ends: write a loop`},
		{re(`^(local|global) variable (\w+) referenced before assignment`),
			`a name that a function binds is its own from its first line on: give what comes from outside another name, or pass it as an argument`},
		{re(`^(range|len|int|enumerate): .*got Counter`),
			`len(c) is the number of samples, c.values the list of values`},
		{re(`^list has no \.sort\b`), `sorted(list) gives a sorted one`},
		{re(`^list has no \.(push|add|push_back)\b`), `list.append(x) adds one`},
		{re(`^list has no \.(mean|avg|std|median)\b`), `stats.mean(list), stats.std(list), stats.median(list)`},
		{re(`^list has no \.(sum|max|min)\b`), `$1(list)`},
		{re(`^(list|string|dict|tuple|range) has no \.(len|length|size|count)\b`), `len(x)`},
		{re(`^dict has no \.(has_key|has|contains)\b`), `"key" in dict`},
		{re(`^dict has no \.(iteritems|iterkeys|itervalues)\b`), `dict.items(), dict.keys(), dict.values()`},
		{re(`^dict has no \.(\w+)\b`), `an entry is taken by its key: d["$1"]; only methods have a dot`},
		{re(`^(int|float) has no \.round\b`), `round(x, 2)`},
		{re(`^(int|float) has no \.(format|to_string|toString)\b`), `str(x), or fmt("%.2f", x)`},
		{re(`^string has no \.(contains|includes)\b`), `"part" in text`},
		{re(`^NoneType has no \.`), `this is None, a missing value or the result of a call that gives none`},
		{re(`^Counter index: got string`),
			`the index is the number of a sample; cap.group_by("label") selects by a label`},
		{re(`^index \d+ out of range: empty list`),
			`the list is empty; args is, where the command line gave nothing behind the script`},
		{re(`^cannot \w+ .*frozen`),
			`what another file loaded, or a run that ended, has made never changes: make a copy, list(x) or dict(x)`},
		{re(`unhashable: Counter|unhashable type: Counter`), `use its name as the key: c.name`},
	}
})

type answer struct {
	message *regexp.Regexp
	say     string
}

// Runtime is what to write instead of what led to a message of the interpreter, "" where it knows nothing better.
func Runtime(message string) string {
	for _, r := range runtime() {
		if m := r.message.FindStringSubmatchIndex(message); m != nil {
			return string(r.message.ExpandString(nil, r.say, message, m))
		}
	}
	return ""
}
