"""Long simulations of what the intervals promise. `make study` runs them all and writes studies/results.

Each study is a list of cells and a function that runs one cell with a number of draws. The tests run a few cells of
each with fewer draws and hold them against the committed results.
"""
