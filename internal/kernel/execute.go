package kernel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"astrolabe/repl"
)

// rememberedRun is a cell that ran.
type rememberedRun struct {
	count        int
	code, output string
}

// keptOutput is how many bytes of a result the history keeps.
const keptOutput = 4000

// executeRequest is the content of an execute_request. That somebody could answer a question, allow_stdin, changes
// nothing: no cell asks one.
type executeRequest struct {
	Code        string            `json:"code"`
	Silent      bool              `json:"silent"`
	Store       *bool             `json:"store_history"`
	Expressions map[string]string `json:"user_expressions"`
	StopOnError *bool             `json:"stop_on_error"`
}

// execute runs a cell.
func (k *Kernel) execute(ctx context.Context, r request) {
	if r.aborted {
		k.answer(r, "execute_reply", map[string]any{"status": "aborted", "execution_count": k.count})
		return
	}
	var asked executeRequest
	if err := json.Unmarshal(r.content, &asked); err != nil {
		f := failure("BadRequest", "execute_request: "+err.Error())
		f["execution_count"] = k.count
		k.answer(r, "execute_reply", f)
		return
	}
	store := !asked.Silent && (asked.Store == nil || *asked.Store)
	name := "<silent>"
	if !asked.Silent {
		name = fmt.Sprintf("<cell %d>", k.count+1)
	}
	if store {
		k.count++
	}
	k.out.begin(r.origin, asked.Silent)
	k.out.send("execute_input", map[string]any{"code": asked.Code, "execution_count": max(1, k.count)})
	k.pages, k.result = nil, ""
	stopped, err := k.interruptible(ctx, func(ctx context.Context) error {
		return k.session.Cell(ctx, name, asked.Code, asked.Silent)
	})
	k.out.flush()
	if store {
		k.remember(asked.Code)
	}
	payload := []map[string]any{}
	for _, text := range k.pages {
		payload = append(payload, map[string]any{"source": "page", "start": 0,
			"data": map[string]any{"text/plain": text}})
	}
	if errors.Is(err, repl.ErrQuit) {
		payload, err = append(payload, map[string]any{"source": "ask_exit", "keepkernel": false}), nil
	}
	if err != nil {
		if asked.StopOnError == nil || *asked.StopOnError {
			k.requests.abort()
		}
		f := k.wrong(err, stopped)
		k.out.send("error", f)
		reply := map[string]any{"status": "error", "execution_count": k.count, "payload": payload,
			"user_expressions": struct{}{}}
		for key, v := range f {
			reply[key] = v
		}
		k.answer(r, "execute_reply", reply)
		return
	}
	k.answer(r, "execute_reply", map[string]any{"status": "ok", "execution_count": k.count, "payload": payload,
		"user_expressions": k.expressions(ctx, asked.Expressions)})
}

// wrong is what messages say of an error.
func (k *Kernel) wrong(err error, stopped bool) map[string]any {
	if stopped {
		return map[string]any{"ename": "Interrupted", "evalue": "the cell was interrupted",
			"traceback": []string{"interrupted"}}
	}
	reason, unread := repl.Reason(err)
	name := "Error"
	if unread {
		name = "SyntaxError"
	}
	return map[string]any{"ename": name, "evalue": reason,
		"traceback": strings.Split(strings.TrimRight(k.session.ErrorText(err), "\n"), "\n")}
}

// expressions are the values of expressions that the client wants to know.
func (k *Kernel) expressions(ctx context.Context, asked map[string]string) map[string]any {
	out := map[string]any{}
	for name, text := range asked {
		stopped, err := k.interruptible(ctx, func(ctx context.Context) error {
			v, err := k.session.Value(ctx, text)
			if err != nil {
				return err
			}
			bundle, err := k.bundle(v, k.session.Text(v))
			if err == nil {
				out[name] = map[string]any{"status": "ok", "data": bundle.data, "metadata": bundle.metadata}
			}
			return err
		})
		if err != nil {
			f := k.wrong(err, stopped)
			f["status"] = "error"
			out[name] = f
		}
	}
	return out
}

// remember puts a cell into the history, of this session and of those to come.
func (k *Kernel) remember(code string) {
	output := k.result
	if len(output) > keptOutput {
		output = strings.ToValidUTF8(output[:keptOutput], "") + "…"
	}
	k.earlier()
	k.cells = append(k.cells, rememberedRun{k.count, code, output})
	if over := len(k.cells) - maxCells; over > 0 {
		k.cells = slices.Delete(k.cells, 0, over)
	}
	if err := k.session.Remember(code); err != nil {
		k.log("%v", err)
	}
}

// maxCells is how many cells of a session are remembered.
const maxCells = 10000
