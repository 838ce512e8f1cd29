"""Which items people label, how many it takes, and what follows from the draw.

Sizes come from a `Target` and a design. Strata part a population by score or by columns, an allocation spreads labels
over them, and a draw gives every item its inclusion probability. `ScoreDriven` is the default: it goes where the labels
are least certain and learns from them, batch by batch.
"""
