"""The table of runs.

The program is touched through its command line and its documented Python names alone, so that a run stays the same
however the package is arranged. `slow` runs are left to `make verify`; those of `real` data need EVENHAND_DATA.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from guard import steps
from guard.steps import DATA, Run, Step, labelled


def audit(name: str, options: str, *, file: str = "small.csv", needs: Sequence[str] = (), **more: Any) -> Run:
    """One audit, printed as JSON."""
    return Run(f"audit-{name}", (file, *needs), (f"audit {file} {options} --json",), **more)


def refused(name: str, step: str, *needs: str) -> Run:
    """Something that cannot be done: the exit code and the message."""
    return Run(f"refused-{name}", needs, (step,))


def loop(
    name: str,
    options: str,
    batches: int,
    *,
    slow: bool = False,
    unclear: int = 0,
    more: str = " --evidence labelled.parquet",
) -> Run:
    """A measurement from plan to estimate, batch by batch."""
    made: list[Step] = [f"sample plan items.csv {options} -o plan.json", "sample draw plan.json -o batch1.csv"]
    sheets = []
    for number in range(1, batches + 1):
        sheets.append(f"batch{number}.csv")
        made.append(labelled(sheets[-1], unclear=unclear))
        following = f" --next batch{number + 1}.csv" if number < batches else more
        made.append(f"sample estimate plan.json {' '.join(sheets)}{following} --json")
    return Run(f"sample-{name}", ("items.csv",), tuple(made), slow=slow)


def real(name: str, *taken: Step, needs: tuple[str, ...] = ()) -> Run:
    return Run(f"real-{name}", needs, taken, slow=True, real=True)


CREHATE = (
    "--item ID --annotator annotator_id --label annotation --skip 2 --score p --annotator-groups nationality "
    "--permutations 99 --replicates 50 --duplicates drop"
)
BIAS = "--score first --label y"
QUICK = "--set bits=10 --set members=2 --set rounds=6"
MEASURED = '--ground-truth "terms of use" --codebook "rules 3" --period May'
TWO = "--score p --decision removed --by language"
CLASSES = "--probabilities p_calm,p_rude,p_threat --label kind"
PEOPLE = (
    "--item item --annotator who --label label --skip 2 --score p --annotator-groups gender "
    "--permutations 99 --replicates 50 --fewest-labels 8"
)
SIMULATED = "--score p --label truth --simulations 100 --strata 2,4 --pilots 20 --pilot-totals 128"

RUNS: dict[str, Run] = {
    run.name: run
    for run in (
        # bias
        audit("bias-groups", f"{BIAS} --groups a,b,c --text text --id id"),
        audit("bias-two-models", "--score first,second --label y --groups a,b --intersections"),
        audit("bias-values", f"{BIAS} --group-by who --slice lang --threshold 0.7 --level 0.9"),
        audit("bias-words", f"{BIAS} --terms terms.txt --text text", needs=["terms.txt"]),
        audit("bias-shares", "--score percent --scale percent --label share --groups a_share --label-threshold 0.4"),
        audit("bias-logit", "--score logit --scale logit --label verdict --positive bad --groups a,b --threshold 0.2"),
        audit("bias-rank", "--score logit --scale rank --label y --groups a,b"),
        audit("bias-counts", f"{BIAS} --groups a,b --count times"),
        audit("bias-inclusion", f"{BIAS} --groups a,b --inclusion chance --slice lang"),
        audit("bias-bootstrap", f"{BIAS} --groups a,b --interval bootstrap --replicates 50 --seed 3"),
        audit("bias-where", f"{BIAS} --groups a,b --where \"lang = 'en'\" --examples 2 --text text"),
        audit("bias-parquet", f"{BIAS} --groups a,b", file="small.parquet"),
        audit("bias-jsonl", f"{BIAS} --groups a,b", file="small.jsonl"),
        Run("audit-csv", ("small.csv",), (f"audit small.csv {BIAS} --groups a,b --csv",)),
        Run("audit-terminal", ("small.csv",), (f"audit small.csv {BIAS} --groups a,b --slice lang --out report",)),
        # collaboration
        audit("collaboration", "--audits collaboration --score first,second --label y --capacities 1%,0.1,50"),
        audit(
            "collaboration-strategies",
            "--audits collaboration --score first --label y --uncertainty unsure --slice lang "
            "--strategies uncertainty,toxicity,hybrid:0.3,column:unsure --interval bootstrap --replicates 50",
        ),
        audit(
            "collaboration-counts", "--audits collaboration --score first --label y --count times --capacities >=0.2"
        ),
        # calibration
        audit("calibration-binary", "--audits calibration --score first --label y --replicates 50"),
        audit(
            "calibration-mass",
            "--audits calibration --score first,second --label y --bins 8 --bins-by mass --slice lang --replicates 50",
            slow=True,
        ),
        audit(
            "calibration-inclusion",
            "--audits calibration --score first --label y --inclusion chance --replicates 50",
            slow=True,
        ),
        audit("calibration-classes", f"--audits calibration {CLASSES} --replicates 50", file="classed.csv"),
        audit(
            "calibration-classes-counted",
            f"--audits calibration {CLASSES} --count times --slice lang --replicates 50",
            file="classed.csv",
            slow=True,
        ),
        # accuracy
        audit(
            "accuracy-strata",
            "--audits accuracy --label truth --decision removed --inclusion chance --stratum stratum --by "
            "language,month",
            file="decided.csv",
        ),
        audit(
            "accuracy-words",
            '--audits accuracy --label truth --decision action --removes "taken down" --inclusion chance --target 0.1',
            file="decided.csv",
        ),
        audit(
            "accuracy-ranks",
            "--audits accuracy --label truth --decision removed --inclusion chance --by language --rank-with ranks.csv",
            file="decided.csv",
            needs=["ranks.csv"],
        ),
        audit("accuracy-census", "--audits accuracy --label truth --decision removed --by language", file="items.csv"),
        audit(
            "accuracy-prevalence",
            "--audits accuracy --label truth --inclusion chance --stratum stratum",
            file="decided.csv",
        ),
        # perspective
        audit("perspective", f"--audits perspective {PEOPLE}", file="annotations.csv"),
        audit(
            "perspective-two-models",
            f"--audits perspective {PEOPLE.replace('--score p', '--score p,q')} --majority others --ties lowest "
            "--smoothing",
            file="annotations.csv",
            slow=True,
        ),
        audit(
            "perspective-within",
            f"--audits perspective {PEOPLE} --within land --map spellings.toml --clusters 3 --miss 0.2",
            file="annotations.csv",
            needs=["spellings.toml"],
            slow=True,
        ),
        # several at once, reports, what has changed, cards
        Run(
            "report-compared",
            ("small.csv", "later.csv"),
            (
                f"audit small.csv {BIAS} --groups a,b --audits bias,calibration,collaboration --replicates 50 "
                "--out first",
                f"audit later.csv {BIAS} --groups a,b --audits bias,calibration,collaboration "
                "--replicates 50 --compare first/findings.json --out second --tables markdown,latex",
                "card second/findings.json -o card.md --name ours",
                "agreement first/findings.json second/findings.json --json",
            ),
            slow=True,
        ),
        Run(
            "report-accuracy",
            ("decided.csv",),
            (
                "audit decided.csv --audits accuracy --label truth --decision removed --inclusion chance "
                "--stratum stratum "
                "--by language --out report --tables markdown",
            ),
        ),
        Run(
            "report-perspective",
            ("annotations.csv",),
            (f"audit annotations.csv --audits perspective {PEOPLE} --out report",),
            slow=True,
        ),
        Run(
            "report-classes",
            ("classed.csv",),
            (f"audit classed.csv --audits calibration {CLASSES} --replicates 50 --out report --csv",),
            slow=True,
        ),
        # declarations
        Run(
            "init",
            ("narrow.csv", "small.csv"),
            ("init narrow.csv", "audit audit.toml --json", "init narrow.csv", "init small.csv --out wide.toml"),
        ),
        Run("init-annotations", ("annotations.csv",), ("init annotations.csv --out mine.toml",)),
        # staffing
        Run(
            "plan-target",
            ("history.csv",),
            ("plan history.csv --score p --label y --target oc_accuracy=0.95 --target oc_recall=90% --json",),
        ),
        Run(
            "plan-costs",
            ("history.csv",),
            (
                "plan history.csv --score p --label y --uncertainty unsure --strategies "
                "uncertainty,toxicity,column:unsure "
                "--false-removal 2 --missed-violation 5 --review 0.2 --benign-error 0.05 --violating-error 0.1 --json",
            ),
        ),
        Run(
            "plan-promise",
            ("history.csv",),
            ("plan history.csv --score p --label y --wrong-removals 0.2 --missed-violations 0.2 --json", steps.policy),
        ),
        Run(
            "plan-words",
            ("history.csv",),
            ("plan history.csv --score p --label y --target oc_accuracy=0.97 --items-per-day 50000",),
        ),
        # calibrators
        Run(
            "calibrate-binary",
            ("small.csv", "later.csv"),
            tuple(
                f"calibrate fit small.csv --score first --label y --method {method} -o {method}.json"
                for method in ("ts", "platt", "beta", "isotonic", "histogram", "vector", "wts")
            )
            + tuple(
                f"calibrate apply {method}.json later.csv --score first -o {method}.csv"
                for method in ("platt", "isotonic", "beta")
            ),
        ),
        Run(
            "calibrate-classes",
            ("classed.csv", "classed_test.csv"),
            (
                *(
                    f"calibrate fit classed.csv {CLASSES} --method {method} -o {method}.json"
                    for method in ("ts", "wts", "vector", "isotonic", "histogram")
                ),
                "calibrate apply vector.json classed_test.csv --probabilities p_calm,p_rude,p_threat -o vector.parquet",
            ),
        ),
        Run(
            "calibrate-compare",
            ("classed.csv", "classed_test.csv"),
            (f"calibrate compare classed.csv classed_test.csv {CLASSES} --seeds 2 --json",),
            slow=True,
        ),
        Run(
            "calibrate-compare-binary",
            ("small.csv", "later.csv"),
            ("calibrate compare small.csv later.csv --score first --label y --seeds 2 -o report",),
            slow=True,
        ),
        # sampling
        loop("default", f"--score p --n 260 --population visible {MEASURED}", 2, unclear=23),
        loop("by-language", "--score p --by language --n 250", 2),
        loop("two-pools", f"{TWO} --n 300", 2),
        loop("random", "--design random --by language --n 250 --seed 4", 1, unclear=40),
        loop("random-pools", "--design random --decision removed --n 300", 1),
        loop("stratified", "--score p --design stratified --n 200", 1, more=" -o report"),
        loop(
            "stratified-by-language",
            "--score p --design stratified --strata equal-width --count 3 --by language --allocation equal --n "
            "240 --seed 1",
            1,
        ),
        loop("pilot", "--score p --design stratified --count 4 --pilot 10 --n 150", 2),
        loop("clusters", "--design clusters --cluster thread --n 250", 1),
        loop("sequential", "--score p --design sequential --n 200", 2, more=""),
        loop("promise", "--score p --within 0.4 --level 0.9", 1),
        Run(
            "sample-label-studio",
            ("items.csv",),
            (
                "sample plan items.csv --score p --n 90 -o plan.json --json",
                "sample draw plan.json -o batch1.json",
                steps.tasks,
                "sample estimate plan.json answered.json",
            ),
        ),
        Run(
            "sample-unfinished",
            ("items.csv",),
            (
                f"sample plan items.csv {TWO} --n 300 -o plan.json",
                "sample draw plan.json -o batch1.csv",
                labelled("batch1.csv"),
                steps.half,
                "sample estimate plan.json some.csv",
                "sample estimate plan.json some.csv --unfinished --json",
                "sample estimate plan.json some.csv --unfinished",
            ),
        ),
        Run(
            "sample-compare",
            ("items.csv", "decided.csv"),
            (
                "audit decided.csv --audits accuracy --label truth --decision removed --inclusion chance "
                "--stratum stratum --where \"month = 'may'\" --out may --csv",
                "audit decided.csv --audits accuracy --label truth --decision removed --inclusion chance "
                "--stratum stratum --where \"month = 'june'\" --out june --csv",
                "sample compare june/findings.json may/findings.json --json",
                "sample compare june/findings.json may/findings.json --rule overlap --fail-on-alarm",
            ),
            slow=True,
        ),
        Run(
            "sample-size",
            ("strata.csv",),
            (
                "sample size --prevalence 0.02 --within 0.2 --json",
                "sample size --strata strata.csv --cv 0.1 --level 0.9 --json",
                "sample size --prevalence 0.01 --below 0.02 --items 50000",
                "sample size --prevalence 0.05 --width 0.02 --json",
                "sample mde --prevalence 0.02 --n 2000 --json",
                "sample mde --strata strata.csv --effect 0.005 --json",
                "sample mde --prevalence 0.02 --n 2000",
            ),
        ),
        Run("sample-simulate", ("items.csv",), (f"sample simulate items.csv {SIMULATED} --json",)),
        Run(
            "sample-simulate-report",
            ("items.csv",),
            (f"sample simulate items.csv {SIMULATED} --within 0.2 --within 0.4 --seed 2 -o report --csv",),
            slow=True,
        ),
        # models
        Run(
            "train",
            ("comments.csv",),
            (
                f"train comments.csv --label toxic -o model {QUICK} --called rude --test-where \"part = 'test'\"",
                "score model comments.csv -o scored.csv --prefix m_",
                "score default comments.csv -o default.parquet",
                "models . --json",
                "audit scored.csv --audits calibration --score m_p --label toxic --replicates 50 --json",
            ),
            trained=True,
        ),
        Run(
            "train-unigram",
            ("comments.csv",),
            (
                "train comments.csv --label mood -o model --method unigram",
                "score model comments.csv -o scored.parquet",
            ),
            trained=True,
            slow=True,
        ),
        Run(
            "train-balanced",
            ("comments.csv",),
            (f"train comments.csv --label toxic -o model {QUICK} --balance 40 --oversample smote",),
            trained=True,
            slow=True,
        ),
        # made-up data
        Run(
            "synthesise-templates",
            ("terms.txt",),
            (
                "synthesise templates -o all.parquet --rows 2000 --seed 2",
                "synthesise templates -o mine.csv --terms terms.txt --intersections --rows 500",
            ),
        ),
        Run("synthesise-community", (), ("synthesise community -o made --items 1500 --seed 5",)),
        # papers
        Run(
            "reproduce-bias",
            ("papers/intersectional_madlibs_scored.csv",),
            ("reproduce", "reproduce bias --data papers --seed 3 --json"),
            slow=True,
        ),
        Run(
            "reproduce-collaboration",
            ("runs/test.parquet", "runs/deployment.parquet"),
            ("reproduce collaboration --data runs --light --json",),
            slow=True,
        ),
        Run("demo", (), ("demo --rows 3000 --out demo --seed 1",), slow=True),
        # from Python
        Run("python-audit", (), (steps.from_python,), slow=True),
        Run("python-pandas", (), (steps.from_pandas,)),
        Run("python-train", (), (steps.trained_in_python,), trained=True),
        Run("python-agreement", ("small.csv", "later.csv"), (steps.agreeing,)),
        # files of an earlier version
        Run(
            "old-plan",
            ("old/plan.json", "old/batch1.csv", "old/batch2.csv", "items.csv"),
            (
                "sample estimate old/plan.json old/batch1.csv old/batch2.csv --json",
                "sample draw old/plan.json --batch 1 --items items.csv -o again.csv",
            ),
        ),
        Run("old-policy", ("old/policy.json",), (steps.old_policy,)),
        Run(
            "old-calibrators",
            ("old/platt.json", "old/vector.json", "small.csv", "classed.csv"),
            (
                "calibrate apply old/platt.json small.csv --score first -o platt.csv",
                "calibrate apply old/vector.json classed.csv --probabilities p_calm,p_rude,p_threat -o vector.csv",
            ),
        ),
        Run(
            "old-findings",
            ("old/findings.json", "old/accuracy.json", "later.csv"),
            (
                steps.opened_findings,
                f"audit later.csv {BIAS} --groups a,b --compare old/findings.json --json",
                "card old/findings.json -o card.md",
                "agreement old/findings.json old/findings.json --json",
                "sample compare old/accuracy.json old/accuracy.json --json",
            ),
        ),
        Run(
            "old-model",
            ("old/model", "comments.csv"),
            ("score old/model comments.csv -o scored.csv", "models old --json"),
            trained=True,
        ),
        # what cannot be done
        refused("no-file", "audit nowhere.csv --score p --label y"),
        refused("no-column", "audit small.csv --score frist --label y --groups a", "small.csv"),
        refused("no-score", "audit small.csv --label y --groups a", "small.csv"),
        refused("bad-values", "audit gaps.csv --score p --label y --groups g", "gaps.csv"),
        refused("empty-file", "audit no_columns.csv --score p --label y", "no_columns.csv"),
        refused("unknown-audit", "audit small.csv --audits bais --score first --label y", "small.csv"),
        refused("both-outputs", "audit small.csv --score first --label y --groups a --json --csv", "small.csv"),
        refused("unknown-option", "audit small.csv --scores first", "small.csv"),
        refused("words-as-labels", "audit small.csv --score first --label verdict --groups a", "small.csv"),
        refused("findings", "card broken.json", "broken.json"),
        refused(
            "compare-findings",
            "audit small.csv --score first --label y --groups a --compare broken.json",
            "small.csv",
            "broken.json",
        ),
        refused(
            "calibrator", "calibrate apply broken.json small.csv --score first -o out.csv", "small.csv", "broken.json"
        ),
        refused("method", "calibrate fit small.csv --score first --label y --method plat -o out.json", "small.csv"),
        refused("plan-without-target", "plan history.csv --score p --label y --target oc_acuracy=0.9", "history.csv"),
        refused("draw-no-plan", "sample draw broken.json -o batch.csv", "broken.json"),
        refused("design", "sample plan items.csv --score p --design straitified --n 100 -o plan.json", "items.csv"),
        refused("too-few-labels", "sample plan items.csv --score p --n 1 -o plan.json", "items.csv"),
        refused("no-model", "score nowhere comments.csv -o out.csv", "comments.csv"),
        refused("setting", "train comments.csv --label toxic -o model --set bist=3", "comments.csv"),
        refused("paper", "reproduce bais --data papers", "papers/intersectional_madlibs_scored.csv"),
        refused(
            "annotators",
            "audit annotations.csv --audits perspective --score p --label label --item item --annotator who",
            "annotations.csv",
        ),
        Run("help", (), ("--version", "models --json", "sample size")),
        # real data, of which names and numbers are kept, never texts
        real(
            "madlibs",
            f"audit ${DATA}/perspective_madlibs.parquet --score toxicity_1,toxicity_6 --label label --positive toxic "
            "--terms identities.txt --text phrase --json",
            needs=("identities.txt",),
        ),
        real(
            "languages",
            f"audit ${DATA}/multilingual_predictions_a.parquet --audits bias,calibration,collaboration --score p_toxic "
            "--label toxic --group-by lang --capacities 1%,5% --replicates 50 --json",
        ),
        real(
            "covid",
            f"audit ${DATA}/covid_hate.parquet --audits calibration --probabilities p_hate,p_counterhate,p_neutral "
            "--classes Hate,Counterhate,Neutral --label label --normalise --where \"label != 'Non-Asian "
            "Aggression'\" --replicates 50 --json",
        ),
        real(
            "context",
            f"audit ${DATA}/wikipedia_context_gc.parquet --audits calibration,collaboration --score api --label "
            "label --replicates 50 --json",
        ),
        real(
            "context-sampled",
            steps.context,
            "sample plan context.parquet --score api --n 200 -o plan.json --json",
            "sample draw plan.json -o batch1.csv",
            steps.real_labels,
            "sample estimate plan.json batch1.csv --json",
        ),
        real("crehate", steps.crehate, f"audit crehate.parquet --audits perspective {CREHATE} --json"),
    )
}
