package documents

import (
	"astrolabe/plots/charts"
	"math"
	"slices"
)

// accountJSON is the account for machines. Gains are rounded to five points of a percent, as everywhere.
func accountJSON(a *charts.Account) *jsonAccount {
	if a == nil {
		return nil
	}
	out := &jsonAccount{Base: float64(a.Base) / 1e9, Idle: float64(a.Idle) / 1e9, Parts: []jsonPart{},
		Missing: append([]string{}, a.Missing...)}
	for _, p := range a.Parts {
		jp := jsonPart{Name: p.Name, Kind: p.Kind, Title: p.Title, Time: float64(p.Time) / 1e9,
			Share: rounded(a.Share(p)), RunnerUp: p.RunnerUp}
		if g := a.Gain(p); g != "" {
			jp.Gain, jp.Text = gainBounds([]float64{p.Low / float64(a.Base), p.High / float64(a.Base)}), g
		}
		out.Parts = append(out.Parts, jp)
	}
	return out
}

type jsonAccount struct {
	Base    float64    `json:"base_s"`
	Idle    float64    `json:"idle_s"`
	Parts   []jsonPart `json:"parts"`
	Missing []string   `json:"missing"`
}

type jsonPart struct {
	Name     string    `json:"name"`
	Kind     string    `json:"kind"`
	Title    string    `json:"title"`
	Time     float64   `json:"time_s"`
	Share    float64   `json:"share"`
	Gain     []float64 `json:"gain,omitempty"`
	Text     string    `json:"gain_text,omitempty"`
	RunnerUp string    `json:"runner_up,omitempty"`
}

// rounded is a share with three digits: more would say more than is known.
func rounded(share float64) float64 { return math.Round(share*1000) / 1000 }

// gainBounds are bounds of a gain, each rounded to five points of a percent.
func gainBounds(bounds []float64) []float64 {
	if bounds == nil {
		return nil
	}
	out := slices.Clone(bounds)
	for i, x := range out {
		out[i] = float64(charts.FivePoints(x)) / 100
	}
	return out
}
