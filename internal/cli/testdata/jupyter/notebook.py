"""Runs a notebook by nbclient in its folder, and prints what each cell shows as JSON: python notebook.py FILE [OUT]."""

import json
import os
import sys

import nbclient
import nbformat

path = os.path.abspath(sys.argv[1])
notebook = nbformat.read(path, as_version=4)
nbclient.NotebookClient(notebook, timeout=300, startup_timeout=120, kernel_name="astrolabe",
                        resources={"metadata": {"path": os.path.dirname(path)}}).execute()
nbformat.validate(notebook)
if len(sys.argv) > 2:
    nbformat.write(notebook, sys.argv[2])
cells = []
for cell in notebook.cells:
    if cell.cell_type == "code":
        cells.append({"count": cell.execution_count, "outputs": [
            {"kind": o.output_type, "name": o.get("name", ""), "text": o.get("text", ""), "data": o.get("data", {})}
            for o in cell.outputs]})
print(json.dumps(cells))
