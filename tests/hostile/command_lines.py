"""Every command, every file it takes and every file it writes: how it is run with one input that is hostile.

A new command, or a new option that names a file, gets a row here; `test_command_lines.py` says so where one is missing.
`{}` stands for the hostile input, `@` before a word for an ordinary one, made by `ordinary.py`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

SCORED, ITEMS = "--score p --label y", "--score p --label y --groups a,b"
LABELS = (
    "--audits perspective --item item --annotator who --label label --score p --annotator-groups gender "
    "--permutations 99 --replicates 50 --fewest-labels 1 --duplicates first --json"
)
ACCURACY = "--audits accuracy --label y --decision removed --inclusion pi --slice lang"
DATABASE, SELECT = "sqlite:///@items.db", "SELECT * FROM items"
ROWS = f"--query '{SELECT}'"
TARGET = "--target oc_accuracy=0.9"
QUEUED = "--score p --policy @policy.json -o today.csv"
NEW, APPLIED = "--prefix new_ -o scored.csv", "--score p -o applied.csv"
QUICK = "--set bits=10 --set members=1 --set rounds=2"
TRAINED = f"--label y {QUICK} -o trained"
ENCODED = (
    "train @items.csv --label y --method deterministic --encoder {} --set epochs=1 --set batch=16 --set length=24 "
    "--device cpu -o trained"
)
PAPERS = {"bias": "corpora", "collaboration": "", "calibration": "", "accuracy": "", "perspective": ""}
BOTH, ONCE = "@items.csv @later.csv", f"{SCORED} --seeds 1"
RANDOM, THESE = "--score p --design random --n 40", ("items.csv",)
DRAWN, FIRST = "@drawn.json @batch.csv", "@first-drawn.json @first-batch.csv"
GOES_ON = ("next.csv", "first-drawn.json")
TRIALS = "--quick --simulations 100 --strata 2 --pilots 20 --pilot-totals 128"
TAUGHT = f"--text text --label y {TRIALS} --json"
TORCH = (
    *("torch", "torch._dynamo", "torch.distributed.tensor", "transformers", "transformers.integrations.hub_kernels"),
    *("transformers.core_model_loading", "transformers.models.auto.modeling_auto"),
    *("transformers.models.bert.modeling_bert", "evenhand.classifiers.encoder.training"),
)
GROUPS = dict.fromkeys(
    ("annotations", "calibrate", "desk", "migrate", "report", "sample", "statements", "store", "synthesise"), 2
)  # how many words a command has
MOVED = "--old-score p --new-score q"
SERVED = "serve --port 0"
HALF_YEAR = "2026-01-01/2026-06-30"
FILED = f"--provider vlop --service Forum --period {HALF_YEAR}"
YES = f"--automated yes {FILED}"
RATED = f"--label y --decision removed --automated yes --inclusion pi --language lang --labelled-period {HALF_YEAR}"
REPORT = f"report dsa @items.csv {RATED} {FILED}"
STORE_WORDS: dict[str, tuple[str, ...]] = {  # commands of the store, and what they write
    "verify {}": (),
    "head {} -o new.json": ("new.json",),
    "rebuild {}": (),
    "export {} -o out": ("out",),
    "import {} @items.csv --column id=id": (),
    "activate {} @desk-policy.json --actor system": (),
    "invite {} ana --role lead": (),
    "backup {} -o backup.db": ("backup.db",),
    "erase {} --days 400": (),
    "hold {} 0 --reason court": (),
    "measure {}": (),
}


@dataclass(frozen=True)
class Line:
    """One use of one argument of one command. `outputs` are what the command may write, the one it names first."""

    argument: str
    kind: str
    words: str
    outputs: tuple[str, ...] = ()
    usual: str = ""  # what stands for `{}` where nothing is hostile
    needs: tuple[str, ...] = ()  # ordinary inputs that the words do not name
    imports: tuple[str, ...] = ()
    of: str = ""  # what tells it apart from another use of the same argument
    long: bool = False  # takes seconds where nothing is hostile: left to `make verify`
    refusing: bool = False  # runs for minutes, or until it is stopped: only with what must be refused

    @property
    def command(self) -> str:
        words = self.words.split()
        return " ".join(words[: 3 if words[:2] == ["serve", "tokens"] else GROUPS.get(words[0], 1)])

    @property
    def name(self) -> str:
        told = ", ".join(part for part in (self.kind, self.of) if part and part != "table")
        return f"{self.command} {self.argument}{f' ({told})' if told else ''}"

    @property
    def inputs(self) -> tuple[str, ...]:
        """The ordinary inputs that it takes beside the hostile one."""
        return (*re.findall(r"@([\w.-]+)", self.words), *self.needs)

    def arguments(self, given: str) -> list[str]:
        """What stands on the command line."""
        return [part.replace("@", "").replace("{}", given) for part in shlex.split(self.words)]


LINES: tuple[Line, ...] = (
    Line("file", "table", f"audit {{}} {ITEMS} --text text --id id --json", usual="items.csv"),
    Line("file", "declaration", "audit {} --json", usual="audit.toml", needs=("items.csv",)),
    Line("file", "database", f"audit sqlite:///{{}} {ROWS} {ITEMS} --json", usual="items.db"),
    Line("query", "query", f"audit {DATABASE} --query {{}} {ITEMS} --json", usual=SELECT),
    Line("where", "condition", f"audit @items.csv {ITEMS} --where {{}} --json", usual="y >= 0"),
    Line("terms", "terms", f"audit @items.csv {SCORED} --text text --terms {{}} --json", usual="terms.txt"),
    Line("spellings", "spellings", f"audit @whole-labels.csv {LABELS} --map {{}}", usual="spellings.toml"),
    Line("items", "table", f"audit @labels.csv {LABELS} --items {{}}", usual="scored.csv"),
    Line("annotators", "table", f"audit @bare-labels.csv {LABELS} --annotators {{}}", usual="people.csv"),
    Line("rank_with", "table", f"audit @items.csv {ACCURACY} --rank-with {{}} --json", usual="ranking.csv"),
    Line("compare", "findings", f"audit @items.csv {ITEMS} --compare {{}} --json", usual="findings.json"),
    Line("out", "output folder", f"audit @items.csv {ITEMS} --out {{}}", ("out",), usual="out", long=True),
    Line("file", "table", "init {} --out draft.toml", ("draft.toml",), usual="items.csv"),
    Line("file", "database", f"init sqlite:///{{}} {ROWS} --out draft.toml", ("draft.toml",), usual="items.db"),
    Line("query", "query", f"init {DATABASE} --query {{}} --out draft.toml", ("draft.toml",), usual=SELECT),
    Line("where", "condition", "init @items.csv --where {} --out draft.toml", ("draft.toml",), usual="y >= 0"),
    Line("file", "declaration", "init {} --out draft.toml", ("draft.toml",), usual="audit.toml", needs=("items.csv",)),
    Line("out", "output file", "init @items.csv --out draft.toml", ("draft.toml",)),
    Line("first", "findings", "agreement {} @findings.json --json", usual="findings.json"),
    Line("second", "findings", "agreement @findings.json {}", usual="findings.json"),
    Line("file", "table", f"plan {{}} {SCORED} {TARGET} --json", usual="items.csv"),
    Line("file", "database", f"plan sqlite:///{{}} {ROWS} {SCORED} {TARGET} --json", usual="items.db"),
    Line("query", "query", f"plan {DATABASE} --query {{}} {SCORED} {TARGET}", usual=SELECT),
    Line("where", "condition", f"plan @items.csv {SCORED} {TARGET} --where {{}} --json", usual="y >= 0"),
    Line("file", "declaration", f"plan {{}} {TARGET} --json", usual="audit.toml", needs=("items.csv",)),
    Line(
        "out", "output folder", f"plan @items.csv {SCORED} --reviewers 1 --out {{}}", ("out",), usual="out", long=True
    ),
    Line("file", "table", f"queue {{}} {QUEUED}", ("today.csv",), usual="items.csv"),
    Line("file", "database", f"queue sqlite:///{{}} {ROWS} {QUEUED}", ("today.csv",), usual="items.db"),
    Line("query", "query", f"queue {DATABASE} --query {{}} {QUEUED}", ("today.csv",), usual=SELECT),
    Line("where", "condition", f"queue @items.csv {QUEUED} --where {{}}", ("today.csv",), usual="y >= 0"),
    Line("out", "output file", f"queue @items.csv {QUEUED}", ("today.csv",)),
    Line("policy", "policy", "queue @items.csv --score p --policy {} -o today.csv", ("today.csv",), "policy.json"),
    Line(
        "sheet", "output file", f"queue @items.csv {QUEUED} --text text --sheet sheet.csv", ("sheet.csv", "today.csv")
    ),
    Line("answers", "sheet", "queue @today.csv --answers {} -o new.csv", ("new.csv",), usual="answered.csv"),
    Line("file", "table", f"check-labels {{}} {SCORED} -o listed.csv", ("listed.csv",), usual="items.csv"),
    Line(
        "file",
        "database",
        f"check-labels sqlite:///{{}} {ROWS} {SCORED} -o listed.csv",
        ("listed.csv",),
        usual="items.db",
    ),
    Line(
        "query", "query", f"check-labels {DATABASE} --query {{}} {SCORED} -o listed.csv", ("listed.csv",), usual=SELECT
    ),
    Line(
        "where",
        "condition",
        f"check-labels @items.csv {SCORED} -o listed.csv --where {{}}",
        ("listed.csv",),
        usual="y >= 0",
    ),
    Line("out", "output file", f"check-labels @items.csv {SCORED} -o listed.csv", ("listed.csv",)),
    Line(
        "sheet",
        "output file",
        f"check-labels @items.csv {SCORED} --text text -o listed.csv --sheet sheet.csv",
        ("sheet.csv", "listed.csv"),
    ),
    Line("answers", "sheet", "check-labels @doubted.csv --answers {}", usual="answered.csv"),
    Line("model", "model", "score {} @texts.csv -o scored.csv", ("scored.csv",), usual="model"),
    Line("file", "table", f"score default {{}} --text text {NEW}", ("scored.csv",), usual="texts.csv"),
    Line("file", "database", f"score default sqlite:///{{}} {ROWS} {NEW}", ("scored.csv",), usual="items.db"),
    Line("query", "query", f"score default {DATABASE} --query {{}} {NEW}", ("scored.csv",), usual=SELECT),
    Line("where", "condition", f"score default @items.csv --where {{}} {NEW}", ("scored.csv",), usual="y >= 0"),
    Line("out", "output file", "score default @texts.csv -o scored.csv", ("scored.csv", ".scored.csv.pieces")),
    Line("data", "table", f"train {{}} --text text {TRAINED}", ("trained",), usual="items.csv"),
    Line("data", "database", f"train sqlite:///{{}} {ROWS} {TRAINED}", ("trained",), usual="items.db"),
    Line("query", "query", f"train {DATABASE} --query {{}} {TRAINED}", ("trained",), usual=SELECT),
    Line("test", "table", f"train @items.csv --test {{}} {TRAINED}", ("trained",), usual="items.csv"),
    Line("where", "condition", f"train @items.csv --where {{}} {TRAINED}", ("trained",), usual="y >= 0"),
    Line("test_where", "condition", f"train @items.csv --test-where {{}} {TRAINED}", ("trained",), usual="b = 1"),
    Line("encoder", "encoder", ENCODED, ("trained",), "directory", imports=TORCH, long=True, refusing=True),
    Line("out", "output folder", f"train @items.csv --label y {QUICK} -o {{}}", ("out",), usual="out"),
    Line("folder", "model list", "models {}", usual=".", needs=("model",)),
    Line("findings", "findings", "card {} -o card.md", ("card.md",), usual="findings.json"),
    Line("out", "output file", "card @findings.json -o card.md", ("card.md",)),
    *(
        Line("data", "corpora", f"reproduce {paper} --data {{}} --light --json", usual=made, of=paper, long=bool(made))
        for paper, made in PAPERS.items()
    ),
    Line("out", "output folder", "reproduce bias --data @corpora --light --out {}", ("out",), usual="out", long=True),
    Line("file", "table", f"calibrate file {{}} {SCORED} -o new.csv", ("new.csv",), usual="items.csv"),
    Line("where", "condition", f"calibrate file @items.csv {SCORED} --where {{}} -o new.csv", ("new.csv",), "y >= 0"),
    Line("out", "output file", f"calibrate file @items.csv {SCORED} -o new.csv", ("new.csv",)),
    Line(
        *("calibrator", "output file", f"calibrate file @items.csv {SCORED} -o new.csv --calibrator c.json"),
        ("c.json", "new.csv"),
    ),
    Line("file", "database", f"calibrate file sqlite:///{{}} {ROWS} {SCORED} -o new.csv", ("new.csv",), "items.db"),
    Line("query", "query", f"calibrate file {DATABASE} --query {{}} {SCORED} -o new.csv", ("new.csv",), SELECT),
    Line("validation", "table", f"calibrate fit {{}} {SCORED} -o new.json", ("new.json",), usual="items.csv"),
    Line("where", "condition", f"calibrate fit @items.csv {SCORED} --where {{}} -o new.json", ("new.json",), "y >= 0"),
    Line("out", "output file", f"calibrate fit @items.csv {SCORED} -o new.json", ("new.json",)),
    Line("calibrator", "calibrator", f"calibrate apply {{}} @items.csv {APPLIED}", ("applied.csv",), "calibrator.json"),
    Line("file", "table", f"calibrate apply @calibrator.json {{}} {APPLIED}", ("applied.csv",), usual="items.csv"),
    Line(
        *("where", "condition", f"calibrate apply @calibrator.json @items.csv --where {{}} {APPLIED}"),
        *(("applied.csv",), "y >= 0"),
    ),
    Line("out", "output file", f"calibrate apply @calibrator.json @items.csv {APPLIED}", ("applied.csv",)),
    Line("validation", "table", f"calibrate compare {{}} @later.csv {ONCE} --json", usual="items.csv"),
    Line("test", "table", f"calibrate compare @later.csv {{}} {ONCE} --json", usual="items.csv"),
    Line("beside", "table", f"calibrate compare {BOTH} {ONCE} --beside other={{}} --json", usual="items.csv"),
    Line("where", "condition", f"calibrate compare {BOTH} {ONCE} --where {{}} --json", usual="y >= 0"),
    Line("out", "output folder", f"calibrate compare {BOTH} {ONCE} --out {{}}", ("out",), usual="out"),
    Line("items", "table", f"sample plan {{}} {RANDOM} -o new.json", ("new.json",), usual="items.csv"),
    Line("where", "condition", f"sample plan @items.csv {RANDOM} --where {{}} -o new.json", ("new.json",), "y >= 0"),
    Line("out", "output file", f"sample plan @items.csv {RANDOM} -o new.json", ("new.json",)),
    Line(
        "plan", "plan", "sample draw {} -o sheet.csv", ("sheet.csv", "plan.json", "in.json"), "plan.json", needs=THESE
    ),
    Line("items", "table", "sample draw @plan.json --items {} -o sheet.csv", ("sheet.csv", "plan.json"), "items.csv"),
    Line("out", "output file", "sample draw @plan.json -o sheet.csv", ("sheet.csv", "plan.json"), needs=THESE),
    Line("plan", "plan", "sample estimate {} @batch.csv --json", usual="drawn.json", needs=THESE),
    Line("labels", "sheet", "sample estimate @drawn.json {} --json", usual="batch.csv"),
    Line("gold", "table", f"sample estimate {DRAWN} --gold {{}} --json", usual="gold.csv"),
    Line("items", "table", f"sample estimate {FIRST} --items {{}} --next next.csv", GOES_ON, usual="items.csv"),
    Line("next", "output file", f"sample estimate {FIRST} --next next.csv", GOES_ON, needs=THESE),
    Line("evidence", "output file", f"sample estimate {DRAWN} --evidence evidence.csv", ("evidence.csv",)),
    Line("out", "output folder", f"sample estimate {DRAWN} --out {{}}", ("out",), usual="out", long=True),
    Line("panel", "table", f"sample estimate {DRAWN} --panel {{}} --json", usual="batch.csv"),
    Line("plan", "plan", "sample panel {} @batch.csv --n 30 -o panel.csv", ("panel.csv",), "drawn.json", needs=THESE),
    Line(
        "labels", "sheet", "sample panel @drawn.json {} --n 30 -o panel.csv", ("panel.csv",), "batch.csv", needs=THESE
    ),
    Line(
        *("gold", "table", f"sample panel {DRAWN} --gold {{}} --n 30 -o panel.csv", ("panel.csv",), "gold.csv"),
        needs=THESE,
    ),
    Line("items", "table", f"sample panel {DRAWN} --items {{}} --n 30 -o panel.csv", ("panel.csv",), "items.csv"),
    Line("out", "output file", f"sample panel {DRAWN} --n 30 -o panel.csv", ("panel.csv",), needs=THESE),
    Line("plan", "plan", "sample second {} --n 5 -o second.csv", ("second.csv",), "drawn.json", needs=THESE),
    Line("items", "table", "sample second @drawn.json --items {} --n 5 -o second.csv", ("second.csv",), "items.csv"),
    Line("out", "output file", "sample second @drawn.json --n 5 -o second.csv", ("second.csv",), needs=THESE),
    Line("plan", "plan", "sample annotators {} @batch.csv --json", usual="drawn.json"),
    Line("labels", "sheet", "sample annotators @drawn.json {} --json", usual="batch.csv"),
    Line("second", "sheet", f"sample annotators {DRAWN} --second {{}} --json", usual="batch.csv"),
    Line("panel", "table", f"sample annotators {DRAWN} --panel {{}} --json", usual="batch.csv"),
    Line("gold", "table", f"sample annotators {DRAWN} --gold {{}} --json", usual="gold.csv"),
    Line("plan", "plan", "sample extend {} --n 45 -o longer.json", ("longer.json",), "plan.json"),
    Line("out", "output file", "sample extend @plan.json --n 45 -o longer.json", ("longer.json",)),
    Line("this", "findings", "sample compare {} @period.json --json", usual="period.json"),
    Line("last", "findings", "sample compare @period.json {}", usual="period.json"),
    Line("periods", "findings", "sample chart {} @next.json --json", usual="period.json"),
    Line("out", "output folder", "sample chart @period.json @next.json --out {}", ("out",), usual="out"),
    Line("file", "table", f"sample simulate {{}} {SCORED} {TRIALS} --json", usual="items.csv"),
    Line("file", "database", f"sample simulate sqlite:///{{}} {ROWS} {SCORED} {TRIALS} --json", usual="items.db"),
    Line("query", "query", f"sample simulate {DATABASE} --query {{}} {SCORED} {TRIALS} --json", usual=SELECT),
    Line("where", "condition", f"sample simulate @items.csv {SCORED} {TRIALS} --where {{}} --json", usual="y >= 0"),
    Line("train_where", "condition", f"sample simulate @items.csv {TAUGHT} --train-where {{}}", usual="id < 'i0018'"),
    Line(
        "out", "output folder", f"sample simulate @items.csv {SCORED} {TRIALS} --out {{}}", ("out",), "out", long=True
    ),
    Line("log", "table", f"migrate perspective {{}} {MOVED} --json", usual="items.csv"),
    Line("log", "database", f"migrate perspective sqlite:///{{}} {ROWS} {MOVED} --json", usual="items.db"),
    Line("query", "query", f"migrate perspective {DATABASE} --query {{}} {MOVED} --json", usual=SELECT),
    Line("where", "condition", f"migrate perspective @items.csv {MOVED} --where {{}} --json", usual="y >= 0"),
    Line(
        "terms", "terms", f"migrate perspective @items.csv {MOVED} --text text --terms {{}} --json", usual="terms.txt"
    ),
    Line("model", "model", "migrate perspective @items.csv --old-score p --model {} --json", usual="model"),
    Line(
        "out", "output folder", f"migrate perspective @items.csv {MOVED} --out {{}}", ("out",), usual="out", long=True
    ),
    Line("study", "table", f"report dsa {{}} {RATED} {FILED} -o out", ("out",), usual="items.csv"),
    Line("study", "findings", f"report dsa {{}} {YES} -o out", ("out",), usual="period.json"),
    Line(
        "study", "plan", f"report dsa {{}} --labels @sheet.csv --automated yes {FILED} -o out", ("out",), "rated.json"
    ),
    Line("labels", "sheet", f"report dsa @rated.json --labels {{}} {YES} -o out", ("out",), usual="sheet.csv"),
    Line("notice_labels", "table", f"{REPORT} --notice-labels {{}} -o out", ("out",), usual="items.csv"),
    Line("notices", "table", f"{REPORT} --notices {{}} -o out", ("out",), usual="notices.jsonl"),
    Line("appeals", "table", f"{REPORT} --appeals {{}} -o out", ("out",), usual="appeals.jsonl"),
    Line("values", "table", f"{REPORT} --values {{}} -o out", ("out",), usual="values.csv"),
    Line("annotations", "table", f"{REPORT} --annotations {{}} -o out", ("out",), usual="answers.csv"),
    Line("decisions", "table", f"{REPORT} --decisions {{}} -o out", ("out",), usual="decisions.jsonl"),
    Line("out", "output folder", f"{REPORT} --out {{}}", ("out",), usual="out"),
    Line(
        *("codes", "spellings", f"report dsa @desk.db --codes {{}} {FILED} -o out", ("out", "desk.db"), "codes.toml"),
        needs=("desk.db.key",),
    ),
    Line("folder", "corpora", "report lint {}", usual="filed"),
    Line("export", "corpora", "statements prepare {} --codes @codes.toml -o out", ("out",), usual="exported"),
    Line("codes", "spellings", "statements prepare @exported --codes {} -o out", ("out",), usual="codes.toml"),
    Line("out", "output folder", "statements prepare @exported --codes @codes.toml -o {}", ("out",), usual="out"),
    Line("decisions", "table", "statements write {} -o made.jsonl", ("made.jsonl",), usual="decisions.jsonl"),
    Line("out", "output file", "statements write @decisions.jsonl -o made.jsonl", ("made.jsonl",)),
    Line("statements", "findings", "statements submit {} --dry-run", usual="statements.jsonl"),
    Line(
        *("dumps", "table", f"statements compare {{}} --report @filed --platform Forum --period {HALF_YEAR}"),
        usual="dump.csv",
    ),
    Line(
        *("report", "corpora", f"statements compare @dump.csv --report {{}} --platform Forum --period {HALF_YEAR}"),
        usual="filed",
    ),
    Line(
        "files", "findings", "annotations read {} --from label-studio -o made.csv", ("made.csv",), usual="export.json"
    ),
    Line("out", "output file", "annotations read @export.json --from label-studio -o made.csv", ("made.csv",)),
    Line("table", "table", "annotations write {} -o made.json", ("made.json",), usual="answers.csv"),
    Line("out", "output file", "annotations write @answers.csv -o made.json", ("made.json",)),
    Line("config", "service", f"{SERVED} --config {{}}", refusing=True),
    Line("model", "model", f"{SERVED} --model {{}}", refusing=True),
    Line("calibrator", "calibrator", f"{SERVED} --calibrator {{}}", refusing=True),
    Line("token_file", "tokens", f"{SERVED} --require-token --token-file {{}}", refusing=True),
    Line("store", "database", f"{SERVED} --store {{}} --store-key @desk.db.key", ("in.db",), refusing=True),
    Line("store_key", "store record", f"{SERVED} --store @desk.db --store-key {{}}", ("desk.db",), refusing=True),
    Line("store", "database", "desk recover {} ana --key @desk.db.key", ("in.db",), refusing=True),
    Line("key", "store record", "desk recover @desk.db lee --key {}", ("desk.db",), "desk.db.key"),
    Line("file", "tokens", "serve tokens add other --file {}", ("tokens.json", "in.json"), usual="tokens.json"),
    Line("file", "tokens", "serve tokens list --file {}", usual="tokens.json"),
    Line("file", "tokens", "serve tokens revoke one --file {}", ("tokens.json", "in.json"), usual="tokens.json"),
    *(
        Line("store", "database", f"store {words} --key @desk.db.key", ("in.db", *made), refusing=True)
        for words, made in STORE_WORDS.items()
    ),
    *(
        Line("key", "store record", f"store {words.format('@desk.db')} --key {{}}", ("desk.db", *made), "desk.db.key")
        for words, made in STORE_WORDS.items()
    ),
    Line("store", "database", "store upgrade {}", ("in.db",), refusing=True),
    Line("store", "output file", "store init new.db", ("new.db", "new.db.key")),
    Line("key", "output file", "store init desk.db --key new.key", ("new.key", "desk.db")),
    Line("backup", "database", "store restore {} new.db --key @desk.db.key", ("new.db", "new.db.key"), refusing=True),
    Line("store", "output file", "store restore @copy.db new.db --key @desk.db.key", ("new.db", "new.db.key")),
    Line("key", "store record", "store restore @copy.db new.db --key {}", ("new.db", "new.db.key"), "desk.db.key"),
    Line("out", "output file", "store head @desk.db -o head.json", ("head.json", "desk.db"), needs=("desk.db.key",)),
    Line("out", "output folder", "store export @desk.db -o {}", ("out", "desk.db"), "out", needs=("desk.db.key",)),
    Line("out", "output file", "store backup @desk.db -o backup.db", ("backup.db", "desk.db"), needs=("desk.db.key",)),
    Line("head", "store record", "store verify @desk.db --head {}", ("desk.db",), "head.json", needs=("desk.db.key",)),
    Line("file", "table", "store import @desk.db {} --column id=id", ("desk.db",), "items.csv", needs=("desk.db.key",)),
    Line(
        *("policy", "store record", "store activate @desk.db {} --actor system", ("desk.db",), "desk-policy.json"),
        needs=("desk.db.key",),
    ),
    Line("strata", "table", "sample size --strata {} --within 0.2 --json", usual="strata.csv"),
    Line("strata", "table", "sample mde --strata {} --n 400 --json", usual="strata.csv"),
    Line("terms", "terms", "synthesise templates --terms {} --rows 200 -o made.csv", ("made.csv",), usual="terms.txt"),
    Line("out", "output file", "synthesise templates --rows 200 -o made.csv", ("made.csv",)),
    Line("out", "output folder", "synthesise community --items 300 -o {}", ("out",), usual="out"),
    Line("out", "output folder", "demo --rows 2000 --out {}", ("out",), usual="out", long=True),
)

NOT_RUN = {
    ("reproduce", "download"): "fetches published data, which is what the option is for",
}
NOT_FILES = {("card", "model"), ("sample plan", "strata"), ("sample simulate", "strata")}  # unlike their namesakes
WORDS = {  # arguments that are words: names of columns, of models and of methods, numbers in a list
    *("shadow", "coop_fields", "webhook_networks", "url", "distance", "title", "date"),
    *("score", "scale", "probabilities", "classes", "label", "positive", "groups", "group_by", "text", "id", "slices"),
    *(
        "uncertainty",
        "count",
        "weight",
        "inclusion",
        "stratum",
        "cluster",
        "decision",
        "removes",
        "reviews",
        "gold",
        "item",
        "annotator",
        "annotator_groups",
    ),
    *("within", "skip", "duplicates", "interval", "capacities", "strategies", "bins_by", "majority", "ties", "audits"),
    *(
        "tables",
        "targets",
        "prefix",
        "device",
        "called",
        "method",
        "name",
        "loss",
        "oversample",
        "set_",
        "trust",
        "scopes",
    ),
    *("paper", "run", "by", "context", "link", "cluster", "design", "allocation", "n", "ground_truth"),
    *("codebook", "population", "period", "several", "rule", "pilots", "pilot_totals", "variants", "size_column"),
    *("rate_column", "send_to", "secrets", "old_score", "new_score", "attribute", "host", "trusted_proxies"),
    *("allowed_hosts", "cors_origins", "separator", "decimal", "encoding", "provider", "service", "automated"),
    *("measures", "language", "labelled_period", "published", "previous", "platform", "tool", "secret", "preset"),
    *("actor", "person", "role", "reason", "date_order", "queues"),
    *("author", "format", "column"),
    *("labelled", "mode", "model_version", "split", "purpose", "verdicts"),
}


def commands() -> Iterator[tuple[str, Any]]:
    """Every command of the program, by its name."""
    import typer

    from evenhand.cli.main import app

    def walk(command: Any, name: str) -> Iterator[tuple[str, Any]]:
        inner = getattr(command, "commands", {})
        if name and (not inner or command.invoke_without_command):
            yield name, command
        for key, one in inner.items():
            yield from walk(one, f"{name} {key}".strip())

    yield from walk(typer.main.get_command(app), "")


def lines_of(kind: str) -> list[Line]:
    """Those that take an input of a kind."""
    return [line for line in LINES if line.kind == kind]
