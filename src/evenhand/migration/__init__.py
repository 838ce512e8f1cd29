"""From one model to another: thresholds of the new model that correspond to the old ones, and what changes.

`open_log` reads old scores and new ones of the same comments, `migrate` matches thresholds and answers in one finding.
"""

from evenhand.migration.migrate import NAME, QUESTION, migrate
from evenhand.migration.new_scores import NewScores
from evenhand.migration.request import MigrationRequest
from evenhand.migration.score_log import ScoreLog, open_log
from evenhand.migration.settings import MigrationSettings

__all__ = ["NAME", "QUESTION", "MigrationRequest", "MigrationSettings", "NewScores", "ScoreLog", "migrate", "open_log"]
