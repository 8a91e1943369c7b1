package parquet

import (
	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// class is what a column's values become.
type class uint8

const (
	classNone class = iota
	classSigned
	classUnsigned
	classFloat
	classDecimal
	classText
	classTime   // a timestamp in INT64
	classTime96 // Spark's and Impala's old timestamp: Julian day and ns of the day
	classOfDay  // a time of day in INT32 or INT64
	classDate   // days since 1970 in INT32
	classBool
	classHalf // half precision in two bytes
	classNull // nothing but missing values
)

// julianEpoch is the Julian day of 1970-01-01.
const julianEpoch = 2440588

// leaf is a flat column of the file.
type leaf struct {
	*pq.Column
	name  string
	class class
	scale int   // of a decimal: how many digits stand behind the point
	unit  int64 // of a timestamp, in ns
}

func isNumber(c class) bool { return c >= classSigned && c <= classDecimal || c == classHalf }

func isTime(c class) bool {
	return c == classTime || c == classTime96 || c == classOfDay || c == classDate
}

// newLeaf says what a column holds. parquet-go forgets that two bytes are a number of half precision; half says it.
func newLeaf(col *pq.Column, name string, half bool) leaf {
	l := leaf{Column: col, name: name}
	if col.MaxRepetitionLevel() > 0 {
		return l
	}
	kind := col.Type().Kind()
	var logical format.LogicalTypeValue
	if lt := col.Type().LogicalType(); lt != nil {
		logical = lt.Value
	}
	if logical == nil && kind == pq.FixedLenByteArray && half {
		logical = &format.Float16Type{}
	}
	switch t := logical.(type) {
	case nil:
		switch kind {
		case pq.Int32, pq.Int64:
			l.class = classSigned
		case pq.Float, pq.Double:
			l.class = classFloat
		case pq.Int96:
			l.class = classTime96
		case pq.ByteArray:
			l.class = classText
		case pq.Boolean:
			l.class = classBool
		}
	case *format.DateType:
		if kind == pq.Int32 {
			l.class, l.unit = classDate, 86400e9
		}
	case *format.TimeType:
		if l.unit = unitOf(t.Unit); l.unit > 0 && (kind == pq.Int32 || kind == pq.Int64) {
			l.class = classOfDay
		}
	case *format.Float16Type:
		if kind == pq.FixedLenByteArray {
			l.class = classHalf
		}
	case *format.NullType:
		l.class = classNull
	case *format.IntType:
		if kind == pq.Int32 || kind == pq.Int64 {
			l.class = classSigned
			if !t.IsSigned {
				l.class = classUnsigned
			}
		}
	case *format.DecimalType:
		if t.Scale >= 0 && t.Scale <= 300 {
			l.class, l.scale = classDecimal, int(t.Scale)
		}
	case *format.TimestampType:
		if l.unit = unitOf(t.Unit); l.unit > 0 && kind == pq.Int64 {
			l.class = classTime
		}
	case *format.StringType, *format.EnumType, *format.JsonType:
		if kind == pq.ByteArray {
			l.class = classText
		}
	}
	return l
}

func unitOf(u format.TimeUnit) int64 {
	switch u.Value.(type) {
	case *format.MilliSeconds:
		return 1e6
	case *format.MicroSeconds:
		return 1e3
	case *format.NanoSeconds:
		return 1
	}
	return 0
}

// describe names the type for a warning.
func (l *leaf) describe() string {
	if l.MaxRepetitionLevel() > 0 {
		return "a list"
	}
	return l.Type().String()
}
