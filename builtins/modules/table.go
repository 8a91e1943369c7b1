package modules

import (
	"astrolabe/builtins/binding"
	"astrolabe/builtins/values"
)

var tableModule = binding.MethodTable[*binding.Env]{
	Name: "table",
	Doc:  "Builds tables.",
	Methods: []binding.Method[*binding.Env]{
		{Sig: "new(columns: dict, units: dict=None) -> Table",
			Doc:     "A table from columns: a dict of name to list of cells (or Counter), all of one length.",
			Example: "table.new({\"name\": [\"a\", \"b\"], \"time\": [1.5, 2]}, units={\"time\": \"s\"})",
			Run:     values.TableOfColumns},
		{Sig: "rows(rows: list, columns: list=None, units: dict=None) -> Table",
			Doc:     "A table from rows: a list of dicts or of lists; columns names them and says which to take.",
			Example: "table.rows([[\"a\", 1.5], [\"b\", 2]], columns=[\"name\", \"time\"])",
			Run:     values.TableOfRows},
		{Sig: "short_names(names: list) -> list",
			Doc: "Names of kernels and other functions as a column holds them: without result and arguments, and with the template arguments of long names folded to …. " +
				"Different names stay different: those that fold to the same are written out further.",
			Example: "table.short_names([\"void scale<float, 4>(float*, int)\"])",
			Run:     values.ShortNames},
	},
}
