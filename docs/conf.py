import amontons

project = "amontons"
author = "the amontons founders"
copyright = "2026, the amontons founders"
release = amontons.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
]
source_suffix = {".md": "markdown"}
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "description"
html_theme = "furo"
exclude_patterns = ["_build"]
# ref.python: "shape" in docstrings is a word; two classes have an attribute of that name
suppress_warnings = ["myst.xref_missing", "ref.python"]
