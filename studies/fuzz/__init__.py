"""Whatever a user may give us: the answer is a result, or one line that says what is wrong.

`tables`, `audited` and `numbers` are tables, declarations and arrays that hypothesis makes up; `parsers` are the files
that atheris alters, led by the lines of ours that are reached. `watch` says what may come out.
"""

from studies.fuzz.running import Fuzzing

STUDY = Fuzzing()
