package machine

import "astrolabe/capture"

// Known gives the columns of such a program their names in the processors' catalogue, and reports whether the table is of one.
func Known(cfg *capture.Config) bool {
	shares := Shares(cfg)
	group, tasks := group(cfg), used(cfg)
	return Rates(cfg, shares) || group || tasks
}
