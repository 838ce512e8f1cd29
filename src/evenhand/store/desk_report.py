"""What a transparency report and statements of reasons take from a store: the labelled sample, and a census.

Both are of the same snapshot, so that the same number of the last event gives the same report.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from evenhand.evidence import Source
from evenhand.exchange.dsa.desk_tables import DeskTables, PlatformCodes
from evenhand.exchange.dsa.period import ReportingPeriod
from evenhand.exchange.dsa.report import CensusFiles
from evenhand.exchange.dsa.study import AutomationStudy, StudyPurpose
from evenhand.store.census import census_tables
from evenhand.store.desk_study import DeskStudy
from evenhand.store.measured import ADJUDICATED
from evenhand.store.snapshots import StoreSnapshot, read_snapshot
from evenhand.store.store import Store

NO_CODES = "Measures, notices and appeals were not counted: say with `codes` what clauses and actions are in the DSA."
NO_LABELS = "No item of the period has a verdict of the measurement that counts, so that no rate is reported."


@dataclass(frozen=True)
class DeskReportSources:
    """What a store gives to the report of a period, and notes for whoever makes it."""

    study: AutomationStudy | None
    census: CensusFiles
    notes: tuple[str, ...]

    @classmethod
    def read(
        cls,
        store: Store,
        period: ReportingPeriod,
        *,
        codes: Path | None = None,
        verdicts: str = ADJUDICATED,
        snapshot: int | None = None,
        purpose: StudyPurpose | None = None,
    ) -> DeskReportSources:
        """As of the event with the number `snapshot` (default: the last one)."""
        described = None if codes is None else PlatformCodes.read(codes)
        state = read_snapshot(store, snapshot)
        study = DeskStudy.read(store, state, period, verdicts).study(purpose or StudyPurpose())
        census = CensusFiles() if described is None else _counted(store, state, described)
        notes = (f"Rates and counts are those of {state.name}.", *([] if study else [NO_LABELS]))
        return cls(study, census, notes if described else (*notes, NO_CODES))


def desk_tables(store: Store, codes: PlatformCodes, snapshot: int | None = None) -> DeskTables:
    """Decisions, notices and appeals of a store, in the codes of the Digital Services Act."""
    return _tables(store, read_snapshot(store, snapshot), codes)


def _tables(store: Store, state: StoreSnapshot, codes: PlatformCodes) -> DeskTables:
    with store.database.reading() as connection:
        census = census_tables(connection, state.number)
    return DeskTables.from_census(_named(census, state), codes)


def _counted(store: Store, state: StoreSnapshot, codes: PlatformCodes) -> CensusFiles:
    return CensusFiles(**_named(_tables(store, state, codes).tables, state))


def _named(tables: Mapping[str, pl.DataFrame], state: StoreSnapshot) -> dict[str, Source]:
    """As sources that messages call by the store and the table."""
    return {name: Source(f"{name} of {state.name}", table.lazy()) for name, table in tables.items()}
