package mistakes

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// words are what Starlark keeps free or does not have as statements, and what it has instead.
var words = map[string]string{
	"import":   `Starlark has no import: load("file.star", "name") takes names from another script; capture, plot, stats, math, json and time are there already`,
	"from":     `Starlark has no import: load("file.star", "name") takes names from another script; capture, plot, stats, math, json and time are there already`,
	"try":      `Starlark has no exceptions: an error ends the script. Test before, such as "Name" in cap, or x != None for a missing value`,
	"except":   `Starlark has no exceptions: an error ends the script. Test before, such as "Name" in cap, or x != None for a missing value`,
	"finally":  `Starlark has no exceptions: an error ends the script, and nothing has to be closed`,
	"raise":    `Starlark has no exceptions: fail("why") ends the script with that message`,
	"class":    `Starlark has no classes: keep values in a dict, {"name": value}, and work on them with functions`,
	"with":     `Starlark has no with: read(path) and write(path, text) leave nothing open`,
	"is":       `Starlark has no is: write x == None or x != None; None is the only thing that a counter can be compared with so`,
	"global":   `Starlark has no global: a function cannot bind a name outside of itself. Return the value, or keep it in a list or dict that was made outside`,
	"nonlocal": `Starlark has no nonlocal: a function cannot bind a name outside of itself. Return the value, or keep it in a list or dict that was made outside`,
	"yield":    `Starlark has no generators: collect the values in a list and return it, or write [x for y in z]`,
	"async":    `Starlark has no async: every call returns when it is done`,
	"await":    `Starlark has no await: every call returns when it is done`,
	"del":      `Starlark has no del: d.pop(key) takes from a dict, l.pop(i) from a list; a variable needs no deletion`,
	"as":       `Starlark has no as: load("file.star", other = "name") takes a name under another one, and x = y names a value`,
}

// rule is a mistake that the parser's message and the text around it give away. The parser puts the position of "want
// primary expression" before what it did not expect, and that of most other messages behind it.
type rule struct {
	message *regexp.Regexp
	before  *regexp.Regexp // matches the text up to the position; nil is any
	at      *regexp.Regexp // matches the text from the position on; nil is any
	say     string
}

func re(s string) *regexp.Regexp {
	if s == "" {
		return nil
	}
	return regexp.MustCompile(s)
}

// line is the beginning of a regular expression that matches from the beginning of a line or statement to the position.
const line = `(?:^|[\n;])[ \t]*`

// rules are tried in order. They are made for the first mistake: most runs have none.
var rules = sync.OnceValue(func() []rule {
	return []rule{
		// Of lambda.
		{re(`^got (return|if|for|def|pass|'=')`), re(`\blambda\b[^:\n]*:[^,\n]*$`), nil,
			`lambda holds one expression, such as lambda x: x + 1; statements need def`},
		// Of comparison and logic.
		{re(`^got '='`), re(line + `(if|elif|while)\b[^\n]*$`), nil,
			`= binds a name and == compares: write if x == 5:`},
		{re(`^(<|>|<=|>=|==|!=|in|not in) does not associate`), nil, nil,
			`comparisons do not chain: write a < b and b < c; of a counter c.between(lo, hi)`},
		{re(`^got '&'`), re(`&[ \t]*$`), nil, `&& is and; masks are combined with a single &`},
		{re(`^got '\|'`), re(`\|[ \t]*$`), nil, `|| is or; masks are combined with a single |`},
		{re(`^got '>'`), re(`<[ \t]*$`), nil, `<> is !=`},
		{re(`^unexpected input character '!'`), re(line + `$`), re(`^!\w`),
			`a session runs no commands of the shell, and the opposite of x is not x`},
		{re(`^unexpected input character '!'`), nil, nil, `! is not, and the opposite of a Mask m is ~m`},
		{re(`^unexpected input character '\?'`), nil, nil,
			`a condition that chooses between values is written a if x > 5 else b; NAME? stands alone, in a session`},
		{re(`^conditional expression without else`), nil, nil,
			`an if inside an expression needs both values: a if x > 5 else None`},
		// Of numbers and units.
		{re(`^got identifier`), re(`\d_[\d_]*$`), nil, `digits of a number stand together: 1000000, or 1e6`},
		{re(`^got (identifier|illegal token)`),
			re(`\b\d+(\.\d+)?(ns|us|µs|ms|s|min|m|h|[kMGT]?Hz|[kMGT]i?[Bb](/s)?|[kMGT])$`), nil,
			`a number with a unit is text: write "10ms", "2s" or "80GB/s"`},
		{re(`^unexpected input character 'µ'`), re(`\d$`), nil, `a number with a unit is text: write "10us"`},
		{re(`^got identifier`), re(`\b\d+(\.\d+)?[a-zA-Z]+$`), nil,
			`numbers have no suffix: 10, 0x0a, 1.5 or 1e6; with a unit they are text, such as "10ms"`},
		{re(`want primary expression`), re(`\d[ \t]*%[ \t]*$`), re(`^[),\]]`),
			`a number with a unit is text: write "95%"`},
		{re(`^got '\*\*', want primary`), nil, nil,
			`Starlark unpacks with ** only in the arguments of a call: a | b joins dicts`},
		{re(`^got '\*', want primary`), nil, nil,
			`Starlark unpacks with * only in the arguments of a call: list(a) + [1] joins lists, and first, rest = l[0], l[1:] takes one apart`},
		{re(`^got '\*\*'`), nil, nil, `Starlark has no power operator: math.pow(x, y), or x * x`},
		{re(`want primary expression$`), re(`\w[ \t]*(\+\+|--)[ \t]*$`), re(`^[\n);]|^$`),
			`there is no ++ and no --: x += 1, x -= 1`},
		// Of text.
		{re(`^got string literal`), re(`(?s)\b([fF][rRbB]?|[rR][fF])("[^"\n]*"|'[^'\n]*'|"""(?:.*)"""|'''(?:.*)''')$`),
			nil,
			`Starlark has no f-strings: "%s of %d" % (a, b), "{} of {}".format(a, b), or fmt("%.2f", x) for decimals`},
		{re(`^got string literal`), re(`\b[uU]("[^"\n]*"|'[^'\n]*')$`), nil, `every text is Unicode: leave out the u`},
		{re(`^got string literal`), re(`["']\s*("[^"\n]*"|'[^'\n]*')$`), nil,
			`texts that stand side by side are not joined: put a + between them`},
		{re("^unexpected input character '`'"), nil, nil, "a text stands between \" or ', not between `"},
		{re(`^unexpected input character '[“”„‘’‚«»]'`), nil, nil,
			`this is a typographic quote: a text stands between straight ones, " or '`},
		{re(`^unexpected (newline|EOF) in string`), nil, nil,
			`the quote of this text is not closed on its line; a text of several lines stands between """ and """`},
		{re(`^invalid escape sequence`), nil, nil,
			`a backslash begins an escape: write \\ for one, r"…" for a text without escapes, and / in paths`},
		{re(`^unexpected input character '\$'`), re(line + `$`), re(`^\$[ \t]`),
			`a $ in front of a line is the prompt of a shell: this is a command for there`},
		{re(`^unexpected input character '\$'`), nil, nil,
			`the name of a counter is text: cap["$MaliActive"]; a vendor's formula too: cap.eval("$A / $B")`},
		// Of statements of Python and other languages.
		{re(`^unexpected input character '@'`), re(line + `$`), nil,
			`Starlark has no decorators: call the function, f = wrap(f)`},
		{re(`^got (identifier|string literal|int literal|float literal|'\{'|'\[')`), re(line + `print[ \t]+[^(\n]*$`),
			nil, `print is a function: print(x)`},
		{re(`^got (identifier|string literal|int literal|float literal|not)`), re(line + `assert[ \t]+\S*$`), nil,
			`Starlark has no assert statement: if not x: fail("why"); in a test file assert.eq(a, b) and assert.true(x)`},
		{re(`^got (identifier|string literal|int literal)`), re(line + `(match|switch|case)[ \t]+\S*$`), nil,
			`Starlark has no match: if x == 1: … elif x == 2: … else: …`},
		{re(`^got identifier`),
			re(line + `(let|var|val|const|local|my|auto|int|float|double|string|bool|static|final)[ \t]+\w+$`), nil,
			`a variable is made by binding it: x = 5`},
		{re(`^got identifier`), re(line + `(function|func|fn|fun|sub|proc)[ \t]+\w+$`), nil,
			`a function is made with def f(x):`},
		{re(`^got identifier`), re(`\bnew[ \t]+\w+$`), nil, `there is no new: call what makes the value`},
		{re(`^got (identifier|string literal)`), re(line + `astrolabe[ \t]+\S+$`), nil,
			`this is a command of the shell and no Starlark`},
		{re(`^got (identifier|string literal)`), re(line + `help[ \t]+\S+$`), nil,
			`help is a function: help(x); in a session also x?`},
		{re(`^got (identifier|string literal)`), re(line + `(open|save|edit|set|reload|time|sources)[ \t]+\S+$`), nil,
			`commands of a session begin with a colon, such as :open FILE; :help lists them`},
		{re(`^got string literal, want '\('`), re(`\bload[ \t]+`), nil, `load is written load("file.star", "name")`},
		{re(`^got (if|identifier)`), re(line + `else[ \t]+(if|\w+)$`), nil, `else if is elif`},
		{re(`^got (identifier|'\()`), re(line + `(elseif|elsif)\b`), nil, `else if is elif`},
		{re(`^got ('='|';'|in|',')`), re(line + `for[ \t]*\([^\n]*$`), nil,
			`a loop goes over values: for i in range(5):`},
		{re(`^got ':'`), re(`:$`), re(`^=`), `Starlark has no :=: bind the name in a line of its own before`},
		{re(`^got ':'`), re(`\bdef[ \t]+\w+[ \t]*\([^()]*\w[ \t]*:$`), nil,
			`parameters have no types: def f(x, y = 1):`},
		{re(`^got ':'`), re(line + `\w+[ \t]*:$`), re(`^[ \t]*[\w.\[\], ]+([ \t]*=|[ \t]*\n|$)`),
			`variables have no types: x = 5`},
		{re(`^got '-'`), re(`\bdef[ \t]+\w+[ \t]*\([^\n]*-$`), re(`^>`), `functions declare no result: def f(x):`},
		{re(`^got '='`), re(`=$`), re(`^>`), `there are no arrows: a small function is lambda x: x + 1`},
		{re(`^got '>'`), re(`[=-][ \t]*$`), nil, `there are no arrows: a small function is lambda x: x + 1`},
		{re(`^got '//'`), re(line + `$`), nil, `a comment begins with #`},
		{re(`^got '/'`), re(line + `$`), re(`^/\*`), `a comment begins with #, on each of its lines`},
		{re(`^got '>>'`), re(line + `$`), nil, `>>> is the prompt of a session and no part of a script: leave it out`},
		{re(`^(got '\.'|not an identifier)`), re(line + `\.{0,2}$`), re(`^\.{1,3}[ \t]+\S`),
			`... is the prompt of a session and no part of a script: leave it out`},
		{re(`^(got '\.'|not an identifier)`), re(`\.{0,2}$`), re(`^\.\.`),
			`there is no ...: pass does nothing, and x[a:b] slices`},
		{re(`^not an identifier`), re(`\.\.`), nil, `there is no ...: pass does nothing, and x[a:b] slices`},
		{re(`^not an identifier`), re(`\.load$`), nil,
			`load is a word of the language and no name: capture.open(path) opens a capture`},
		{re(`^not an identifier`),
			re(`\.(and|break|continue|def|elif|else|for|if|in|lambda|not|or|pass|return|while)$`), nil,
			`this is a word of the language and cannot be a name`},
		{re(`^got '%'`), re(line + `$`), re(`^%\w`),
			`a session has commands with a colon, such as :time STATEMENT; :help lists them`},
		{re(`^got ':'`), re(line + `$`), re(`^:\w`), `commands with a colon are for sessions, not for scripts`},
		// Of layout.
		{re(`^got (else|elif|except|finally), want primary`), nil, nil,
			`this belongs to an if of the same indentation, and nothing stands between them but its block`},
		{re(`^got (newline|end of file), want primary expression`), nil, nil,
			`the line ends where a value is expected; inside brackets it may go on in the next one`},
		{re(`^got ';', want primary expression`), nil, nil,
			`; stands between two statements of one line, and at its end at most once`},
		{re(`^unexpected input character '[≥≤≠≈×÷·−–—…→⇒]'`), nil, nil,
			`this sign is not of the language: >= <= != * / - are`},
		{re("^unexpected input character '\\\\u00a0'"), nil, nil,
			`this is a space that pages use and no program: type it anew`},
		{re(`^load statement must import`), nil, nil,
			`load says what it takes from the file: load("file.star", "name")`},
		{re(`^first operand of load`), nil, nil, `load names its file as text: load("file.star", "name")`},
		{re(`^got \S.*, want ':'`), re(line + `(if|elif|else|for|def|while)\b[^\n]*\n?$`), nil,
			`the line of if, else, for and def ends in a colon, before what belongs to it`},
		{re(`^got indent`), nil, nil, `this line is indented more than the one above it, which begins no block`},
		{re(`want indent`), nil, nil,
			`what belongs to the line with the colon is indented below it; pass stands for nothing`},
		{re(`^unindent does not match`), nil, nil,
			`this line is indented as no line above it: a block keeps the same spaces, or tabs, from its first line on`},
		{re(`^unexpected '[)\]}]'`), nil, nil, `this bracket closes none that is open`},
	}
})

// parsed is a message of the parser with what to write instead.
func parsed(message, before, at string, line int) string {
	if word, _, ok := strings.Cut(strings.TrimPrefix(message, "got "), ","); ok && strings.HasPrefix(message, "got ") &&
		words[word] != "" {
		return words[word]
	}
	for _, r := range rules() {
		if r.message.MatchString(message) && (r.before == nil || r.before.MatchString(before)) &&
			(r.at == nil || r.at.MatchString(at)) {
			return r.say
		}
	}
	if open, ok := unclosed(message, before, line); ok {
		return open
	}
	return message
}

var wantsBracket = regexp.MustCompile(`^got (end of file|newline|outdent), want '?[)\]}]`)

// unclosed names the innermost bracket that is open where the text ends and the parser wanted its end.
func unclosed(message, before string, line int) (string, bool) {
	if !wantsBracket.MatchString(message) {
		return "", false
	}
	type place struct {
		bracket   byte
		line, col int // from the first of the text, and in characters
	}
	var open []place
	lines, lineStart := 0, 0
	for i := 0; i < len(before); i++ {
		switch c := before[i]; c {
		case '\n':
			lines, lineStart = lines+1, i+1
		case '(', '[', '{':
			open = append(open, place{c, lines, len([]rune(before[lineStart:i])) + 1})
		case ')', ']', '}':
			open = open[:max(0, len(open)-1)]
		case '#':
			for i+1 < len(before) && before[i+1] != '\n' {
				i++
			}
		case '"', '\'':
			i = endOfText(before, i)
		}
	}
	if len(open) == 0 {
		return "", false
	}
	last := open[len(open)-1]
	what, _, _ := strings.Cut(message, ", want")
	return fmt.Sprintf("%s, but the %c of line %d, column %d is not closed", what, last.bracket,
		line-(lines-last.line), last.col), true
}

// endOfText is the index of the last byte of the text that begins at i.
func endOfText(s string, i int) int {
	quote := s[i : i+1]
	if strings.HasPrefix(s[i:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	for j := i + len(quote); j < len(s); j++ {
		switch {
		case s[j] == '\\':
			j++
		case strings.HasPrefix(s[j:], quote):
			return j + len(quote) - 1
		case s[j] == '\n' && len(quote) == 1:
			return j - 1
		}
	}
	return len(s) - 1
}
