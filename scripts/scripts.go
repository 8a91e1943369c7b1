// Package scripts holds the Starlark library that astrolabe ships: load("@astrolabe//triage/cpu.star", "analyze").
// It imports nothing; the command line hands the file tree to the interpreter.
package scripts

import "embed"

//go:generate go run astrolabe/internal/script/compile

// Library is the root of "@astrolabe//". Of its tests it has those that a copy of a triage script is made with.
//
//go:embed lib/account.star lib/example.star lib/findings.star lib/frames.star lib/overview.star lib/phases.star lib/rules.star lib/summary.star lib/trace.star
//go:embed tables
//go:embed triage/amd_live.star triage/cdna.star triage/cpu.star triage/generic.star triage/gfx1151.star triage/gpa.star triage/intel_live.star triage/intel_oa.star triage/mali.star
//go:embed triage/amd_live_test.star triage/cdna_test.star triage/cpu_test.star triage/generic_test.star triage/gfx1151_test.star triage/gpa_test.star triage/intel_live_test.star triage/intel_oa_test.star triage/mali_test.star
//go:embed triage/amd_live triage/cdna triage/cpu triage/gfx1151 triage/gpa triage/intel_oa triage/mali
//go:embed compiled
var Library embed.FS
