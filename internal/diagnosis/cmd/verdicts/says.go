package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// report is what the page takes from a report as JSON.
type report struct {
	Verdict  string `json:"verdict"`
	Findings []struct {
		ID         string `json:"id"`
		Severity   string `json:"severity"`
		Title      string `json:"title"`
		Confidence string `json:"confidence"`
		Gain       string `json:"win"`
	} `json:"findings"`
	Items []struct {
		Kind     string `json:"kind"`
		Markdown string `json:"markdown"`
		Table    struct {
			Title   string                  `json:"title"`
			Columns []struct{ Name string } `json:"columns"`
			Rows    [][]any                 `json:"rows"`
		} `json:"table"`
	} `json:"items"`
}

// tables are those whose first rows say most about what was found, and how many columns of them do.
var tables = []struct {
	title   string
	columns []string
}{
	{"What set the pace", []string{"what set the pace", "share", "could gain"}},
	{"Each kernel on its own", []string{"kernel", "time", "limited by"}},
	{"The kernels that take longest", []string{"kernel", "share of the time", "median"}},
}

// verdict lets the program report, and returns its findings and the tables as a list.
func verdict(ctx context.Context, program, out string, args []string) (string, error) {
	cmd := exec.CommandContext(ctx, program, append([]string{"report", "--quiet", "-o", out}, args...)...)
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, text)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		return "", err
	}
	var r report
	if err := json.Unmarshal(text, &r); err != nil {
		return "", err
	}
	return r.list(), nil
}

func (r *report) list() string {
	const most = 4
	var b strings.Builder
	if len(r.Findings) == 0 || r.Verdict != r.Findings[0].Title {
		fmt.Fprintf(&b, "- %s\n", oneLine(r.Verdict))
	}
	for i, f := range r.Findings {
		if i == most {
			fmt.Fprintf(&b, "- and %d more\n", len(r.Findings)-most)
			break
		}
		fmt.Fprintf(&b, "- **%s** (%s) %s", f.ID, f.Severity, oneLine(f.Title))
		if f.Gain != "" {
			fmt.Fprintf(&b, "; could gain %s", f.Gain)
		}
		if f.Confidence != "" {
			fmt.Fprintf(&b, "; confidence %s", oneLine(f.Confidence))
		}
		b.WriteString("\n")
	}
	for _, item := range r.Items {
		if first, _, _ := strings.Cut(item.Markdown, "\n"); strings.HasPrefix(first, "**This page describes") ||
			strings.Contains(first, "could not be judged") {
			fmt.Fprintf(&b, "- %s\n", first)
		}
	}
	for _, want := range tables {
		for _, item := range r.Items {
			if item.Table.Title != want.title {
				continue
			}
			fmt.Fprintf(&b, "- %s:", want.title)
			for n, row := range item.Table.Rows {
				if n == most {
					break
				}
				var cells []string
				for i, c := range item.Table.Columns {
					for _, name := range want.columns {
						if c.Name == name && i < len(row) && row[i] != nil {
							cells = append(cells, oneLine(fmt.Sprint(row[i])))
						}
					}
				}
				fmt.Fprintf(&b, "%s %s", map[bool]string{true: ";"}[n > 0], strings.Join(cells, ", "))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// oneLine is a text in one line of Markdown, cut where it is long.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(strings.NewReplacer("*", "\\*", "<", "&lt;", "_", "\\_").Replace(text)), " ")
	const most = 220
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// comparison lets the program compare two captures and returns what changed as a list.
func comparison(ctx context.Context, program string, args []string) (string, error) {
	cmd := exec.CommandContext(ctx, program, append([]string{"compare", "--quiet", "--json", "--all"}, args...)...)
	text, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) { // 1: something is worse
		return "", fmt.Errorf("%w\n%s", err, text)
	}
	var r struct {
		Rows []struct {
			Verdict string   `json:"verdict"`
			Part    string   `json:"part"`
			Metric  string   `json:"metric"`
			Before  *float64 `json:"before"`
			After   *float64 `json:"after"`
		} `json:"rows"`
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return "", err
	}
	var b strings.Builder
	moved := map[string]bool{}
	for _, row := range r.Rows {
		moved[row.Part] = moved[row.Part] || row.Verdict != "same" && row.Verdict != "not judged"
	}
	others, unmoved := map[string]bool{}, 0
	for _, row := range r.Rows {
		switch {
		case !moved[row.Part] && row.Verdict == "same":
			others[row.Part] = true
			unmoved++
		case moved[row.Part] && row.Before != nil && row.After != nil && *row.Before != 0:
			fmt.Fprintf(&b, "- %s: `%s` of `%.40s` %+.1f %%\n", row.Verdict, row.Metric, row.Part,
				100*(*row.After / *row.Before - 1))
		}
	}
	if unmoved > 0 {
		fmt.Fprintf(&b, "- %d values of %d other kernels do not change\n", unmoved, len(others))
	}
	return b.String(), nil
}
