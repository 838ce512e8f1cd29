"""How sure: from amounts and tallies to intervals and p-values. Strangers to the measures they serve.

Every interval of a quantity between 0 and 1 has one form, that of Wilson: `Bounded`. What differs is where the
effective number of items comes from.
"""
