package bundle

import (
	"encoding/csv"
	"strings"
)

// IdentityRows are the rows of the table as they stand there.
func IdentityRows() [][]string {
	r := csv.NewReader(strings.NewReader(identityFile))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		panic(err)
	}
	return rows
}
