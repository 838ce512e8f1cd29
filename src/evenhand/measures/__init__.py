"""Measures: one number from a tally or from arrays, and nothing else: no interval, no file, no picture.

A measure that has no value on the data raises `Undefined` with the reason.
"""
