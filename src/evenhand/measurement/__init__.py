"""A labelling campaign: a plan made on a file, batches for annotators, and what their labels show.

`plan_campaign` counts the items once, settles everything and writes the plan; a `Campaign` draws batches by it and
takes their labels.
"""

from evenhand.measurement.campaign import Campaign, CampaignOutcome, WrittenBatch
from evenhand.measurement.extension import extend_campaign
from evenhand.measurement.items import ItemColumns
from evenhand.measurement.label_check import LabelCheck, label_disagreement
from evenhand.measurement.label_errors import LabelErrors, estimate_label_errors
from evenhand.measurement.plan import Measurement, SamplingPlan
from evenhand.measurement.plan_file import read_plan, write_plan
from evenhand.measurement.planning import PlannedCampaign, SampleSizeRequest, make_plan, plan_campaign
from evenhand.measurement.sample import AnswerFiles

__all__ = [
    "AnswerFiles",
    "Campaign",
    "CampaignOutcome",
    "ItemColumns",
    "LabelCheck",
    "LabelErrors",
    "Measurement",
    "PlannedCampaign",
    "SampleSizeRequest",
    "SamplingPlan",
    "WrittenBatch",
    "estimate_label_errors",
    "extend_campaign",
    "label_disagreement",
    "make_plan",
    "plan_campaign",
    "read_plan",
    "write_plan",
]


def __dir__() -> list[str]:
    """The public names, for tab completion."""
    return sorted(__all__)
