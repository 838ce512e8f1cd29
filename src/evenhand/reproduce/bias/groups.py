"""The groups of the paper: identity terms of its template set, and words for the identities of its comments."""

from __future__ import annotations

from evenhand.measures.bias import COMPARISONS

FIVE = tuple(comparison.name for comparison in COMPARISONS)
TITLES = ("Subgroup AUC", "BPSN AUC", "BNSP AUC", "Negative AEG", "Positive AEG")
TERMS = (
    *("lesbian", "gay", "bisexual", "transgender", "trans", "queer", "lgbt", "lgbtq", "homosexual", "straight"),
    *("heterosexual", "male", "female", "nonbinary", "african", "african american", "black", "white", "european"),
    *("hispanic", "latino", "latina", "latinx", "mexican", "canadian", "american", "asian", "indian"),
    *("middle eastern", "chinese", "japanese", "christian", "muslim", "jewish", "buddhist", "catholic", "protestant"),
    *("sikh", "taoist", "old", "older", "young", "younger", "teenage", "millenial", "middle aged", "elderly"),
    *("blind", "deaf", "paralyzed"),
)
WORDS = {  # where nobody was asked which identities a comment speaks of
    "male": ("male", "males", "man", "men", "boy", "boys"),
    "female": ("female", "females", "woman", "women", "girl", "girls"),
    "transgender": ("transgender", "trans", "transsexual", "transgendered"),
    "homosexual_gay_or_lesbian": ("gay", "gays", "lesbian", "lesbians", "homosexual", "homosexuals", "homosexuality"),
    "christian": ("christian", "christians", "christianity", "catholic", "catholics"),
    "jewish": ("jewish", "jew", "jews", "judaism"),
    "muslim": ("muslim", "muslims", "islam", "islamic"),
    "atheist": ("atheist", "atheists", "atheism"),
    "black": ("black", "blacks", "african american", "african americans"),
    "white": ("white", "whites", "caucasian"),
    "asian": ("asian", "asians", "chinese", "japanese", "korean"),
    "latino": ("latino", "latina", "latinos", "hispanic", "hispanics", "mexican", "mexicans"),
    "psychiatric_or_mental_illness": ("mental illness", "mentally ill", "schizophrenic", "bipolar", "autistic"),
}
COMMENT_TABLE = {"homosexual_gay_or_lesbian": "homosexual"}  # as Table 5 calls it
