package kernel

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"astrolabe/repl"
)

// placed is a place in a text, as messages give it: in characters.
type placed struct {
	Code   string `json:"code"`
	Cursor *int   `json:"cursor_pos"`
}

// at is the place in bytes; the end of the text where none is given.
func (p placed) at() int {
	if p.Cursor == nil {
		return len(p.Code)
	}
	n := 0
	for at := range p.Code {
		if n >= *p.Cursor {
			return at
		}
		n++
	}
	return len(p.Code)
}

// complete answers what may stand at a place.
func (k *Kernel) complete(r request) {
	var asked placed
	if err := json.Unmarshal(r.content, &asked); err != nil {
		k.answer(r, "complete_reply", failure("BadRequest", "complete_request: "+err.Error()))
		return
	}
	at := asked.at()
	c := k.session.Complete(asked.Code, at)
	end := utf8.RuneCountInString(asked.Code[:at])
	start := end - utf8.RuneCountInString(asked.Code[at-c.Replaced:at])
	matches, types := []string{}, []map[string]any{}
	for _, w := range c.Words[:min(len(c.Words), maxMatches)] {
		matches = append(matches, w)
		if note := c.Notes[w]; note != "" {
			types = append(types, map[string]any{"text": w, "type": note, "start": start, "end": end})
		}
	}
	metadata := map[string]any{}
	if len(types) == len(matches) && len(types) > 0 { // clients show what is said of all or of none
		metadata["_jupyter_types_experimental"] = types
	}
	k.answer(r, "complete_reply", map[string]any{"status": "ok", "matches": matches, "cursor_start": start,
		"cursor_end": end, "metadata": metadata})
}

// maxMatches is how many completions a client is sent. A person types another letter.
const maxMatches = 1000

// inspect explains what stands at a place.
func (k *Kernel) inspect(ctx context.Context, r request) {
	var asked placed
	if err := json.Unmarshal(r.content, &asked); err != nil {
		k.answer(r, "inspect_reply", failure("BadRequest", "inspect_request: "+err.Error()))
		return
	}
	var about string
	var found bool
	k.interruptible(ctx, func(ctx context.Context) error {
		about, found = k.session.Inspect(ctx, asked.Code, asked.at())
		return nil
	})
	data := map[string]any{}
	if found {
		data["text/plain"] = about
	}
	k.answer(r, "inspect_reply", map[string]any{"status": "ok", "found": found, "data": data,
		"metadata": struct{}{}})
}

// isComplete says whether a text can run.
func (k *Kernel) isComplete(r request) {
	var asked placed
	if err := json.Unmarshal(r.content, &asked); err != nil {
		k.answer(r, "is_complete_reply", map[string]any{"status": "unknown"})
		return
	}
	c, indent := k.session.Completeness(asked.Code)
	content := map[string]any{"status": map[repl.Completeness]string{repl.Complete: "complete",
		repl.Incomplete: "incomplete", repl.Invalid: "invalid"}[c]}
	if c == repl.Incomplete {
		content["indent"] = indent
	}
	k.answer(r, "is_complete_reply", content)
}

// historyRequest is the content of a history_request.
type historyRequest struct {
	Output  bool   `json:"output"`
	Access  string `json:"hist_access_type"`
	Session int    `json:"session"`
	Start   int    `json:"start"`
	Stop    *int   `json:"stop"`
	N       *int   `json:"n"`
	Pattern string `json:"pattern"`
	Unique  bool   `json:"unique"`
}

// Sessions in answers: all that the user did before is one, and this is the next.
const (
	earlierSession = 1
	thisSession    = 2
)

// recalled is an entry of the history.
type recalled struct {
	session, line int
	code, output  string
}

// earlier are the entries of the user's sessions before this one, the oldest first.
func (k *Kernel) earlier() []string {
	if !k.read {
		k.read = true
		var err error
		if k.before, err = k.session.Remembered(); err != nil {
			k.log("%v", err)
		}
	}
	return k.before
}

// history answers what was entered.
func (k *Kernel) history(r request) {
	var asked historyRequest
	if err := json.Unmarshal(r.content, &asked); err != nil {
		k.answer(r, "history_reply", failure("BadRequest", "history_request: "+err.Error()))
		return
	}
	var all []recalled
	for i, code := range k.earlier() {
		all = append(all, recalled{earlierSession, i + 1, code, ""})
	}
	for _, c := range k.cells {
		all = append(all, recalled{thisSession, c.count, c.code, c.output})
	}
	found := [][]any{}
	for _, e := range asked.choose(all) {
		if asked.Output {
			var output any
			if e.output != "" {
				output = e.output
			}
			found = append(found, []any{e.session, e.line, []any{e.code, output}})
		} else {
			found = append(found, []any{e.session, e.line, e.code})
		}
	}
	k.answer(r, "history_reply", map[string]any{"status": "ok", "history": found})
}

// choose are the entries that were asked for.
func (h historyRequest) choose(all []recalled) (found []recalled) {
	switch h.Access {
	case "range":
		session := h.Session
		if session <= 0 { // counted back from this one
			session += thisSession
		}
		for _, e := range all {
			if e.session == session && e.line >= h.Start && (h.Stop == nil || e.line < *h.Stop) {
				found = append(found, e)
			}
		}
		return found
	case "search":
		found = matching(all, h.Pattern, h.Unique)
	default: // tail
		found = all
	}
	if h.N != nil && *h.N >= 0 && *h.N < len(found) {
		found = found[len(found)-*h.N:]
	}
	return found
}

// matching are the entries that a pattern of * and ? fits; of those that are alike only the newest, where that is
// wanted.
func matching(all []recalled, pattern string, unique bool) (found []recalled) {
	if pattern == "" {
		pattern = "*"
	}
	seen := map[string]bool{}
	for _, e := range slices.Backward(all) {
		if (unique && seen[e.code]) || !fits(pattern, e.code) {
			continue
		}
		seen[e.code] = true
		found = append(found, e)
	}
	slices.Reverse(found)
	return found
}

// fits reports whether a pattern of * and ? fits a whole text. A star takes line ends and slashes too.
func fits(pattern, text string) bool {
	const slash = "\x00" // no entry has it
	plain := strings.NewReplacer(`\`, `\\`, `[`, `\[`, `/`, slash).Replace(pattern)
	ok, err := path.Match(plain, strings.ReplaceAll(text, "/", slash))
	return ok && err == nil
}
