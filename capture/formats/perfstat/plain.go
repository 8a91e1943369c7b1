package perfstat

import (
	"fmt"
	"strings"
)

// What perf stat prints for people, whole or in intervals:
//
//	 Performance counter stats for 'sleep 1' (3 runs):
//
//	              1.08 msec task-clock      #    0.011 CPUs utilized     ( +-  2.76% )
//	S0-D0-C0   1    1,234,567      cycles   #    2.002 GHz               (59.50%)
//
//	       0.102651170 seconds time elapsed
//	       0.001843000 seconds user
//
// Counts are whole there, with marks between thousands as the locale has them; times and other scaled values are
// rounded to two digits.

var (
	plainTitle    = pattern(`^\s*Performance counter stats for `)
	plainMachine  = pattern(`stats for '(system wide|CPU\(s\) )`)
	plainHead     = pattern(`^#\s+time\s.*\bcounts\s.*\bunit\s+events`)
	plainNoise    = pattern(`\( ?\+-\s*([0-9.,]+)% ?\)`)
	plainRunning  = pattern(`\(\s*([0-9]+[.,][0-9]+)%\)\s*$`)
	plainElapsed  = pattern(`^\s*([0-9.,\x{a0}\x{202f}'’]+) (?:\+- [0-9.,]+ )?seconds time elapsed`)
	plainCPUTime  = pattern(`^\s*([0-9.,\x{a0}\x{202f}'’]+) seconds (user|sys)\s*$`)
	plainRuns     = pattern(`\(([0-9]+) runs\)`)
	plainInterval = pattern(`^\s*([0-9]+[.,][0-9]{9})\s`)
	plainThread   = pattern(`^(.*?-[0-9]+)\s+(<not |[0-9])`)
	plainEvent    = pattern(`^[A-Za-z_/][^\s()]*$`)
	plainNumber   = pattern(
		`^[0-9]{1,3}(?:([.,'’\x{a0}\x{202f} ])?[0-9]{1,3})*(?:[.,][0-9]{2})?$|^[0-9]+(?:[.,][0-9]{2})?$`)
	groupMarks = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "'", "", "’", "", ",", "", ".", "")
)

// plainLine reads a line of counts; ok is false for every other line. interval says that perf prints intervals, so that
// each line begins with a time.
func plainLine(text string, interval bool) (r *reading, ok bool) {
	r = &reading{}
	if m := plainInterval().FindStringSubmatch(text); m != nil {
		r.interval, text = strings.Replace(m[1], ",", ".", 1), text[len(m[0])-1:]
	} else if interval {
		return nil, false
	}
	if m := plainNoise().FindStringSubmatch(text); m != nil {
		r.noise, text = m[1], strings.Replace(text, m[0], "", 1)
	}
	if m := plainRunning().FindStringSubmatch(text); m != nil {
		r.running, text = m[1], strings.TrimSuffix(strings.TrimRight(text, " \t"), strings.TrimSpace(m[0]))
	}
	if i := strings.IndexByte(text, '#'); i >= 0 {
		if strings.TrimSpace(text[i+1:]) != "" {
			r.metrics = 1
		}
		text = text[:i]
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return r, r.metrics > 0
	}
	text, ok = r.plainPlace(text)
	if !ok {
		return nil, false
	}
	value, rest, ok := cutValue(text)
	if !ok {
		return nil, false
	}
	r.value = value
	// A unit stands one blank behind the value; where there is none its place is empty.
	words := strings.Fields(rest)
	if strings.HasPrefix(rest, " ") && !strings.HasPrefix(rest, "  ") && len(words) > 1 {
		r.unit, words = words[0], words[1:]
	}
	if len(words) == 0 || len(words) > 2 || !plainEvent().MatchString(words[0]) || rest == "" || rest[0] != ' ' {
		return nil, false
	}
	r.event = words[0]
	if len(words) == 2 {
		r.instance = joinIDs(r.instance, words[1]) // a control group
	}
	return r, true
}

// plainPlace reads what stands before a value: a CPU, a core or socket and how many CPUs it is of, or a thread.
func (r *reading) plainPlace(text string) (rest string, ok bool) {
	word, rest, _ := strings.Cut(text, " ")
	switch {
	case cpuForm().MatchString(word):
		r.instance, r.whole = cpuForm().FindStringSubmatch(word)[1], true
		return strings.TrimLeft(rest, " "), true
	case aggregateForm().MatchString(word):
		number, rest, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
		if _, err := fmt.Sscan(number, &r.parts); err != nil {
			return "", false
		}
		r.instance, r.whole = word, true
		return strings.TrimLeft(rest, " "), true
	}
	if _, _, ok := cutValue(text); ok {
		return text, true
	}
	if m := plainThread().FindStringSubmatchIndex(text); m != nil {
		r.instance, r.thread = text[m[2]:m[3]], true
		return text[m[4]:], true
	}
	return "", false
}

// cutValue cuts a count from the front of a text. Marks between thousands are taken out, and the decimal mark becomes a
// point: it is the one that two digits follow at the end.
func cutValue(text string) (value, rest string, ok bool) {
	for _, word := range []string{notCounted, notSupported} {
		if rest, ok := strings.CutPrefix(text, word); ok {
			return word, rest, true
		}
	}
	end := strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune("0123456789.,'’\u00a0\u202f", r) })
	if end <= 0 {
		return "", "", false
	}
	number, rest := text[:end], text[end:]
	if !plainNumber().MatchString(number) {
		return "", "", false
	}
	fraction := ""
	if n := len(number); n > 3 && (number[n-3] == '.' || number[n-3] == ',') {
		number, fraction = number[:n-3], "."+number[n-2:]
	}
	return groupMarks.Replace(number) + fraction, rest, true
}

// exactSeconds reads a time that perf prints to the nanosecond, or fewer digits, in the locale's numbers.
func exactSeconds(text string) (int64, error) {
	if i := strings.LastIndexAny(text, ".,"); i >= 0 {
		text = groupMarks.Replace(text[:i]) + "." + text[i+1:]
	}
	return seconds(text)
}

// plainReader reads the blocks of perf stat's text.
type plainReader struct {
	inside   bool // a block has begun and its time has not come yet
	interval bool // lines begin with times
	rounded  bool // some value has a fraction, which is rounded
	runs     string
	counts   int // lines with an event
	odd      int
	firstOdd string
	shares   []string // the columns of shares, see topdown.go
	shared   bool     // there was a line of them
}

// topdown takes in what --topdown prints; done says that the line is such.
func (p *plainReader) topdown(b *builder, text string) (done bool, err error) {
	if events, interval := topdownHead(text); len(events) > 0 && interval == p.interval {
		p.shares = events
		return true, nil
	}
	if p.shares == nil {
		return false, nil
	}
	rows := topdownRow(text, p.shares, p.interval)
	for _, r := range rows {
		if err := b.add(r); err != nil {
			return true, err
		}
		p.counts++
		p.shared = true
	}
	return rows != nil, nil
}

// plainMark reports whether a line has one of the words without which no line begins or ends a block, or tells its time:
// whether a file is one of perf stat's is asked of every line of the beginning of many.
func plainMark(text string) bool {
	return strings.Contains(text, "seconds") || strings.Contains(text, "events") || strings.HasPrefix(text, "#") && strings.Contains(text, "time") ||
		strings.Contains(text, "Performance counter stats for ")
}

// takes in one line; it belongs to a block or it does not, since the program's own output may stand around.
func (p *plainReader) take(b *builder, text string, n int) error {
	if !p.inside && !plainMark(text) {
		return nil
	}
	switch {
	case strings.HasPrefix(text, "#") && strings.Contains(text, "time"):
		if events, interval := topdownHead(text); interval {
			p.inside, p.interval, p.shares = true, true, events
			return nil
		}
	}
	switch {
	case plainHead().MatchString(text):
		p.inside, p.interval = true, true
		return nil
	case plainTitle().MatchString(text):
		if m := plainRuns().FindStringSubmatch(text); m != nil {
			p.runs = m[1]
		}
		b.clocks.systemWide = b.clocks.systemWide || plainMachine().MatchString(text)
		if b.open && b.plain {
			b.finishOutput()
		}
		p.inside, p.interval = true, false
		return nil
	}
	if m := plainElapsed().FindStringSubmatch(text); m != nil {
		return p.elapsed(b, m[1])
	}
	if m := plainCPUTime().FindStringSubmatch(text); m != nil && b.open {
		ns, err := exactSeconds(m[1])
		if err != nil {
			return err
		}
		name := map[string]string{"user": "user_time", "sys": "system_time"}[m[2]]
		if b.seen[key{event: name}] > 0 {
			return nil // it was measured too
		}
		return b.add(&reading{value: fmt.Sprint(ns), unit: "ns", event: name})
	}
	if !p.inside || strings.TrimSpace(text) == "" {
		return nil
	}
	if done, err := p.topdown(b, text); done || err != nil {
		return err
	}
	r, ok := plainLine(text, p.interval)
	if !ok {
		if first := strings.TrimSpace(text); !p.interval && first[0] >= '0' && first[0] <= '9' &&
			!strings.Contains(text, "(") {
			if p.odd++; p.odd == 1 {
				p.firstOdd = fmt.Sprintf("line %d: %q", n, shorten(first))
			}
		}
		return nil
	}
	b.metrics += r.metrics
	if r.event == "" {
		return nil
	}
	p.counts++
	p.rounded = p.rounded || strings.Contains(r.value, ".")
	return b.add(r)
}

func (p *plainReader) elapsed(b *builder, text string) error {
	ns, err := exactSeconds(text)
	if err != nil {
		return err
	}
	if !b.open {
		// Nothing but times was measured, as with -n.
		if err := b.begin(&reading{}); err != nil {
			return err
		}
	}
	if b.plain {
		b.exact = uint64(ns)
	}
	p.inside = false
	return nil
}

// finish adds what a user should know.
func (p *plainReader) finish(b *builder) {
	if p.shared {
		b.warn = append(b.warn,
			"perf stat --topdown prints shares of the slots and no counts: intervals, and cores, weigh alike however busy they were (-M TopdownL1,TopdownL2 prints the counts too)")
	}
	if p.rounded && !p.shared {
		b.warn = append(b.warn,
			"perf stat's text for people rounds times and scaled values to two digits; counts are exact (-j or -x print times exactly)")
	}
	if p.runs != "" {
		b.warn = append(b.warn, fmt.Sprintf("the values are means over %s runs, rounded to whole counts", p.runs))
	}
	if p.counts == 0 && len(b.order) > 0 {
		b.warn = append(b.warn,
			"perf stat printed times and no counts: it ran without events (-n), none could be measured, or --metric-only left them out")
	}
	if p.odd > 0 {
		b.warn = append(b.warn, fmt.Sprintf("%d lines are no counts and are left out, the first in %s",
			p.odd, p.firstOdd))
	}
}
