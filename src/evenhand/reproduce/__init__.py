"""The five papers behind the measures, reproduced: their tables with our numbers beside, their claims judged.

All numbers come from the audits, measures, designs and calibrators of the package; nothing is computed here that they
compute.
"""

from evenhand.reproduce.papers import PAPERS, Reproduction, reproduce

__all__ = ["PAPERS", "Reproduction", "reproduce"]
