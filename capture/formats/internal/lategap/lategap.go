// Package lategap sorts gaps of files by whether anything was measured in them.
//
// Recordings that were made before capture.Config had Late hold late time among their gaps: stretches whose counts the
// sample there has. Only the sentence that gives the reason tells. Every writer of such gaps used one of the wordings
// below, and no writer uses them for gaps any more.
package lategap

import (
	"strings"

	"astrolabe/capture"
)

// The wordings: of the recorder and of Mali's readers, which all said that the sample covers the time, and of OA
// reports.
const (
	covered = "; the sample here covers "
	oneRow  = "so this one row holds what happened meanwhile"
)

// Add adds what a file has among its gaps to cfg, as a gap or as a late span.
func Add(cfg *capture.Config, g capture.Gap) {
	if strings.Contains(g.Reason.Text, covered) || strings.Contains(g.Reason.Text, oneRow) {
		cfg.Late = append(cfg.Late, g)
		return
	}
	cfg.Gaps = append(cfg.Gaps, g)
}
