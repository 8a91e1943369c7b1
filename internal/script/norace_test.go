//go:build !race

package script

// underRace says that the race detector's own memory counts into the resident size.
const underRace = false
