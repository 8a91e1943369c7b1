package table

import "astrolabe/capture/formats/internal/delimited"

// timeUnits are the spellings of units of time, in lower case.
var timeUnits = map[string]delimited.TimeUnit{
	"ns": {Exp: 0}, "nsec": {Exp: 0}, "nanosecond": {Exp: 0}, "nanoseconds": {Exp: 0},
	"us": {Exp: 3}, "µs": {Exp: 3}, "μs": {Exp: 3}, "usec": {Exp: 3}, "microsecond": {Exp: 3}, "microseconds": {Exp: 3},
	"ms": {Exp: 6}, "msec": {Exp: 6}, "millisecond": {Exp: 6}, "milliseconds": {Exp: 6},
	"s": {Exp: 9}, "sec": {Exp: 9}, "secs": {Exp: 9}, "second": {Exp: 9}, "seconds": {Exp: 9},
	"min": {Exp: 9, Mul: 60}, "minute": {Exp: 9, Mul: 60}, "minutes": {Exp: 9, Mul: 60},
	"h": {Exp: 9, Mul: 3600}, "hour": {Exp: 9, Mul: 3600}, "hours": {Exp: 9, Mul: 3600},
}
