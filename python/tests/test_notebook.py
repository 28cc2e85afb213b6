import pathlib

from pages import library

nbformat, nbclient = library("nbformat"), library("nbclient")
library("matplotlib")

NOTEBOOK = pathlib.Path(__file__).parent.parent / "examples" / "duplicates.ipynb"


def test_the_notebook_runs_and_plots():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    said = "".join(output.get("text", "") for output in outputs)
    assert "rows, 400 kept" in said and "Match(duplicate_of='page 0', similarity=1.0)" in said
