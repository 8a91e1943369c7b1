package perfetto

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// The published schema, read from testdata, takes a trace apart without any of the package's own constants.

type schemaField struct{ name, typ string }

type node map[string][]any

func loadSchema(t *testing.T) map[string]map[int]schemaField {
	t.Helper()
	f, err := os.Open("testdata/schema.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string]map[int]schemaField{}
	for s := bufio.NewScanner(f); s.Scan(); {
		w := strings.Fields(s.Text())
		if len(w) != 4 || w[0] == "#" {
			continue
		}
		n, err := strconv.Atoi(w[2])
		if err != nil {
			continue
		}
		if out[w[0]] == nil {
			out[w[0]] = map[int]schemaField{}
		}
		out[w[0]][n] = schemaField{w[1], w[3]}
	}
	return out
}

// takeApart fails on every field that the schema does not have, or has with another type.
func takeApart(t *testing.T, schema map[string]map[int]schemaField, message string, b []byte) node {
	t.Helper()
	out := node{}
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			t.Fatalf("%s: no field: %v", message, protowire.ParseError(n))
		}
		b = b[n:]
		f, ok := schema[message][int(num)]
		if !ok {
			t.Fatalf("%s has no field %d", message, num)
		}
		want := protowire.VarintType
		switch {
		case f.typ == "double":
			want = protowire.Fixed64Type
		case f.typ == "string" || schema[f.typ] != nil:
			want = protowire.BytesType
		}
		if typ != want {
			t.Fatalf("%s.%s has wire type %d, the schema says %s", message, f.name, typ, f.typ)
		}
		var v any
		switch want {
		case protowire.VarintType:
			var u uint64
			u, n = protowire.ConsumeVarint(b)
			v = u
			if f.typ == "bool" && u > 1 || f.typ == "uint32" && u > math.MaxUint32 || f.typ == "int32" &&
				int64(u) != int64(int32(u)) {
				t.Fatalf("%s.%s = %d is no %s", message, f.name, u, f.typ)
			}
		case protowire.Fixed64Type:
			var u uint64
			u, n = protowire.ConsumeFixed64(b)
			v = math.Float64frombits(u)
		default:
			var data []byte
			data, n = protowire.ConsumeBytes(b)
			if f.typ == "string" {
				if !utf8.Valid(data) {
					t.Fatalf("%s.%s = %q is no UTF-8", message, f.name, data)
				}
				v = string(data)
			} else if n >= 0 {
				v = takeApart(t, schema, f.typ, data)
			}
		}
		if n < 0 {
			t.Fatalf("%s.%s: %v", message, f.name, protowire.ParseError(n))
		}
		b = b[n:]
		out[f.name] = append(out[f.name], v)
	}
	return out
}

// one is the value of a field that stands there once, nil where it does not stand there.
func (n node) one(t *testing.T, name string) any {
	t.Helper()
	switch len(n[name]) {
	case 0:
		return nil
	case 1:
		return n[name][0]
	}
	t.Fatalf("%s stands there %d times", name, len(n[name]))
	return nil
}

func (n node) sub(t *testing.T, name string) node {
	t.Helper()
	v, _ := n.one(t, name).(node)
	return v
}

// String is for messages of the tests.
func (n node) String() string { return fmt.Sprint(map[string][]any(n)) }
