"""Figures: one function per figure (charts.py, forest.py), from rows to Plotly's JSON.

plots.py and scales.py hold what figures share. The browser draws the JSON; images.py draws the same JSON on the server for
papers, with kaleido and Chromium where they are installed, one figure at a time on a host, and keeps the files.
"""
