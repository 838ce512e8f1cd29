"""Intervals and tests: from amounts, tallies and draws to intervals and p-values. They know no measure.

Every interval of a quantity between 0 and 1 has one form, that of Wilson: `WilsonInterval` in `proportions`. What
differs is where the effective number of items comes from.
"""
