from importlib.util import find_spec
from pathlib import Path

import amontons

project = "amontons"
author = "the amontons founders"
copyright = "2026, the amontons founders"
release = amontons.__version__

extensions = [
    "myst_nb",  # pages in Markdown, and notebooks
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "sphinx_design",
]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
nb_execution_mode = "off"  # what notebooks show is stored: docs/make_notebooks.py
nb_merge_streams = True
myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "description"
html_theme = "furo"
pygments_dark_style = "github-dark"  # underlines no imports
html_title = "amontons"
exclude_patterns = ["_build"]
# ref.python: "shape" in docstrings is a word; two classes have an attribute of that name
suppress_warnings = ["myst.xref_missing", "ref.python"]

# Formulas without a network: one file of MathJax, fonts included, is copied beside the pages.
_bundle = find_spec("sphinx-mathjax-offline").origin
MATHJAX = Path(_bundle).parent / "static" / "mathjax" / "tex-svg.js"
mathjax_path = MATHJAX.name
html_static_path = ["_static", str(MATHJAX)]
html_css_files = ["front.css"]
