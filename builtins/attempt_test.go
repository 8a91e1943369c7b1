package builtins_test

import (
	"context"
	"errors"
	"strings"
	"testing"
)

const mistakes = `
def divide():
    return 1 // 0

def guard():
    return 1 if capture.from_columns({"a": [1]}, period = "1ms")["a"] else 2
`

func TestAMistakeInAPartEndsTheRunWhereNobodyDrawsAPage(t *testing.T) {
	r := newRun(t)
	if err := r.exec("lib.star", mistakes); err != nil {
		t.Fatal(err)
	}
	if err := r.exec("t.star", `attempt("the sum", divide, otherwise = 7)`); err == nil ||
		!strings.Contains(err.Error(), "division by zero") {
		t.Errorf("got %v", err)
	}
}

func TestAPageIsDrawnWithoutThePartThatFails(t *testing.T) {
	r := newRun(t)
	var lacks []string
	r.env.Contain = func(what string, err error) { lacks = append(lacks, what+": "+err.Error()) }
	if err := r.exec("lib.star", mistakes); err != nil {
		t.Fatal(err)
	}
	err := r.exec("t.star", `
print(attempt("the sum", divide, otherwise = 7))
print(attempt("a condition", guard))
print(attempt("what works", lambda: 3))
`)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(r.out, " "); got != "7 None 3" {
		t.Errorf("the parts are %s", got)
	}
	if len(lacks) != 2 || !strings.Contains(lacks[0], "the sum: floored division by zero") ||
		!strings.Contains(lacks[1], "a condition: ") || !strings.Contains(lacks[1], "not true or false") {
		t.Errorf("told %q", lacks)
	}
}

func TestWhatStopsTheRunGoesThroughAPart(t *testing.T) {
	r := newRun(t)
	r.env.Contain = func(what string, err error) { t.Errorf("%s was left out: %v", what, err) }
	if err := r.exec("t.star", `attempt("a part", lambda: fail("no such card"))`); err == nil ||
		!strings.Contains(err.Error(), "no such card") {
		t.Errorf("fail: got %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("interrupted"))
	r.ctx = ctx
	if err := r.exec("t.star", `attempt("a part", lambda: [x for x in range(1 << 30)])`); err == nil {
		t.Error("an interruption was left out")
	}
}
