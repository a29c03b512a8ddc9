"""Figures: one function each (charts, forest), what they are made of (plots, scales), and their files for papers (images)."""
