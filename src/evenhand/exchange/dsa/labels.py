"""The words of the harmonised report: its tables, columns, indicators and scopes, as published filings have them.

Without the trailing blanks that the official template carries. `template` makes tables of them.
"""

from __future__ import annotations

from enum import StrEnum


class Provider(StrEnum):
    """What kind of service reports."""

    VLOP = "vlop"  # a very large online platform or search engine
    PLATFORM = "platform"
    HOSTING = "hosting"


EVERYBODY = "All"
HOSTING = "Only for providers of hosting services, including online platforms"
PLATFORMS = "Only for providers of online platforms"
VLOPS, VLOPS_AND_SEARCH = "Only for VLOPs", "Only for VLOPs and VLOSEs"
APPLICABLE: dict[Provider, frozenset[str]] = {
    Provider.HOSTING: frozenset({EVERYBODY, HOSTING}),
    Provider.PLATFORM: frozenset({EVERYBODY, HOSTING, PLATFORMS}),
    Provider.VLOP: frozenset({EVERYBODY, HOSTING, PLATFORMS, VLOPS, VLOPS_AND_SEARCH}),
}

APPLICABILITY, SERVICE, PERIOD, SECTION = "Applicability", "Service", "Reporting period", "Section"
INDICATOR, SCOPE, VALUE, CONTEXT = "Indicator", "Scope", "Value", "Contextual Information"
CATEGORY, OTHER_DESCRIPTION = "Category of illegal content", 'Description of the sub-category "Other"'
TERMS_CATEGORY = "Category of incompatibility with the provider's terms and conditions"
ALL_CATEGORY = "Category of illegal content / incompatible with the terms and conditions"

IDENTIFICATION, NAMES, ORDERS = "1_report_identification", "2_categories_names", "3_member_states_orders"
NOTICES, OWN_ILLEGAL, OWN_TERMS = "4_notices", "5_own_initiative_illegal", "6_own_initiative_TC"
APPEALS, AUTOMATED, PEOPLE = "7_appeals_and_recidivism", "8_automated_means", "9_human_resources"
RECIPIENTS, QUALITATIVE = "10_AMAR", "11_qualitative"

PROVIDER_NAME, PUBLISHED = "Name of the service provider", "Date of the publication of the report"
PREVIOUS = "Date of the publication of the latest previous report"
STARTS, ENDS = "Starting date of reporting period", "Ending date of reporting period"

_ACT, _GIVE = "act against illegal content", "provide information"
ORDER_MEASURES = (
    f"Number of orders to {_ACT} received",
    f"Number of specific items of information included in the total number of orders to {_ACT}",
    f"Median time to inform the authority of the receipt of the order to {_ACT}",
    f"Median time to give effect to the order to {_ACT}",
    f"Number of orders to {_GIVE}",
    f"Median time to inform the authority of the receipt of the order to {_GIVE}",
    f"Median time to give effect to the order to {_GIVE}",
)
_FLAGGED = " (Trusted Flagger notices)"
NOTICES_RECEIVED, NOTICES_FLAGGED = "Number of notices received", "Number of notices received from Trusted flaggers"
NOTICE_ITEMS = "Number of specific items of information included in the total number of notices"
NOTICE_ITEMS_FLAGGED = f"{NOTICE_ITEMS} by Trusted Flaggers{_FLAGGED}"
NOTICE_TIME, NOTICE_TIME_FLAGGED = "Median time to take action", f"Median time to take action{_FLAGGED}"
NOTICE_LAW = "Number of actions taken on the basis of the law"
NOTICE_TERMS = "Number of actions taken on the basis of the terms and conditions of the service"
NOTICE_MEASURES = (
    *(NOTICES_RECEIVED, NOTICES_FLAGGED, NOTICE_ITEMS, NOTICE_ITEMS_FLAGGED, NOTICE_TIME, NOTICE_TIME_FLAGGED),
    *(NOTICE_LAW, f"{NOTICE_LAW}{_FLAGGED}", NOTICE_TERMS, f"{NOTICE_TERMS}{_FLAGGED}"),
)
OWN_MEASURES, OWN_DETECTED = (
    "Number of measures taken at the provider's own initiative",
    "Number of measures taken after detection with solely automated means",
)
RESTRICTIONS: dict[str, tuple[str, ...]] = {  # columns of tables 5 and 6, and the codes that each counts
    **{
        f"Visibility restriction {name}": (f"DECISION_VISIBILITY_{code}",)
        for name, code in (
            *(("Removal", "CONTENT_REMOVED"), ("Disable", "CONTENT_DISABLED"), ("Demoted", "CONTENT_DEMOTED")),
            ("Age restricted", "CONTENT_AGE_RESTRICTED"),
            ("Interaction restricted", "CONTENT_INTERACTION_RESTRICTED"),
            *(("Labelled", "CONTENT_LABELLED"), ("Other", "OTHER")),
        )
    },
    **{
        f"Monetary restriction {name}": (f"DECISION_MONETARY_{name.upper()}",) for name in ("Suspension", "Termination")
    },
    "Monetary restriction Other": ("DECISION_MONETARY_OTHER",),
    **{
        f"Provision of the service {name}": tuple(
            f"DECISION_PROVISION_{part}_{name.upper()}" for part in ("PARTIAL", "TOTAL")
        )
        for name in ("Suspension", "Termination")
    },
    "Account restriction Suspension": ("DECISION_ACCOUNT_SUSPENDED",),
    "Account restriction Termination": ("DECISION_ACCOUNT_TERMINATED",),
}
INITIATIVE_MEASURES = (OWN_MEASURES, OWN_DETECTED, *RESTRICTIONS)

COMPLAINTS, DISPUTES = "Internal complaints mechanism", "Out-of-court dispute settlement bodies"
OFFENDERS = "Suspensions imposed on repeated offenders"
ALL_COMPLAINTS = "Number of complaints submitted to the internal-complaints mechanism"
NEW_RESTRICTIONS = "Number of restrictions newly imposed as a result of an internal complaint"
ALL_DISPUTES = "Number of disputes submitted to out-of-court dispute settlement bodies"
_NO_ACTION = "not to take action on a notice submitted"
COMPLAINT_SUBJECTS: dict[str, str] = {  # what an appeal is about, and its indicator
    about: f"Complaint regarding a decision {words}"
    for about, words in (
        ("visibility", "to remove or disable access to or restrict visibility of information"),
        ("provision", "to suspend or terminate the provision of the service"),
        ("account", "to suspend or terminate an account"),
        ("monetary", "to restrict the ability to monetise information"),
        ("no_action", f"{_NO_ACTION} in accordance with Article 16"),
        ("no_action_trusted_flagger", f"{_NO_ACTION} by a Trusted Flagger in accordance with Article 16"),
    )
}
SUSPENSION_REASONS: dict[str, str] = {
    reason: f"Number of suspensions enacted for the provision of manifestly {words}"
    for reason, words in (
        *(("illegal_content", "illegal content"), ("unfounded_notices", "unfounded notices")),
        ("unfounded_complaints", "unfounded complaints"),
    )
}
NUMBER, UPHELD, PARTLY, REVERSED = (
    "Total number",
    "Decisions upheld",
    "Decisions partially reversed",
    "Decisions reversed",
)
MEDIAN_TIME, OMITTED, IMPLEMENTED = "Median time", "Decision omitted", "Percentage of outcomes implemented"
OUTCOMES = (NUMBER, UPHELD, PARTLY, REVERSED, MEDIAN_TIME)

AUTOMATED_SECTION = "Use of automated means for content moderation"
SOLELY, NOT_SOLELY = (
    "Number of measures solely taken by automated means",
    "Number of measures not taken by automated means",
)
NOTICES_SOLELY = "Number of notices solely processed by automated means"
NOTICES_NOT = "Number of notices not processed by automated means"
_RATE = "Accuracy of the automated means - "
RATE_ACCURACY, RATE_PRECISION, RATE_RECALL = f"{_RATE}Accuracy", f"{_RATE}Precision", f"{_RATE}Recall"
RATES = (RATE_ACCURACY, RATE_PRECISION, RATE_RECALL)
OWN_INITIATIVE, NAM, NAM_FLAGGED = "Own-initiative", "NAM Total", "NAM Trusted Flagger"

PEOPLE_SECTION = "Human resources dedicated to content moderation"
LINGUISTS = "Number of total moderators with sufficient linguistic expertise"
ACTIVE_RECIPIENTS = "Number of average monthly active recipients during the reporting period"
RATE_TEXT = "Qualitative description of indicators of accuracy and possible rate of error of automated means"
OWN_TEXT = "content moderation engaged in at the providers' own initiative"
_PEOPLE = "human resources dedicated to content moderation"
TEXTS: dict[str, str] = {  # indicators of table 11, and to whom they apply
    f"Summary of the {OWN_TEXT}": EVERYBODY,
    f"Meaningful and comprehensible information regarding {OWN_TEXT}": EVERYBODY,
    "Qualitative description of the automated means": EVERYBODY,
    RATE_TEXT: EVERYBODY,
    "Specification of the precise purposes to apply automated means": EVERYBODY,
    "Safeguards applied to the use of automated means": EVERYBODY,
    "High-level description of the content moderation governance structure": VLOPS,
    f"Qualifications of the {_PEOPLE}": VLOPS,
    f"Training given to {_PEOPLE}": VLOPS,
    f"Support given to {_PEOPLE}": VLOPS,
    f"Methodology used to compute the number of {_PEOPLE}": VLOPS,
}
