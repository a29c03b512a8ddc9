"""`manage.py report`: the public results as one document that can be committed: README.md, figures as SVG, the tables as CSV.

Everything in it is a function of the data, its date included, so that the same data give the same bytes on every machine: the
figures are drawn here (drawing.py) from what the pages draw in a browser, which does not draw the same bytes twice.
"""
