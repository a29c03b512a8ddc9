"""The parts of grading/answer.py: where a reply's answers stand, their fenced blocks, and what C there is in them.

Every function takes time in proportion to the text, whatever is in it: replies come from anywhere.
"""
