"""The tables of `selection`: structure, Table 2 with controls, and the choices left open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from foragers.evaluation.graph.structure import Structure
from foragers.evaluation.tables import Cell, Measured, Table
from foragers.papers.fleets.kinds import BEYOND, CONTROLS, KINDS, PAPERS_KINDS
from foragers.papers.fleets.measures import MEASURES, PAPER, PATHS
from foragers.papers.fleets.webs import Terrain

Values = Mapping[str, Mapping[str, Sequence[float]]]
"""For every kind of fleet and every measure the values of its runs."""

STRUCTURE_PAPER: Mapping[str, Mapping[str, float]] = {
    "": {"out": 1.3, "in": 2.57, "clustering": 0.02, "path": 7.2893},
    "rewired": {"out": 1.3, "in": 2.57, "clustering": 0.003, "path": 8.2163},
}


def structure_table(name: str, found: Mapping[Terrain, Structure]) -> Table:
    """Return exponents, clustering and mean path of a world and of what was made of it."""
    columns: list[str] = ["measure"]
    for terrain in found:
        columns.append(terrain.variant or "as it is")
        if terrain.variant in STRUCTURE_PAPER:
            columns.append(f"{terrain.variant or 'as it is'} (paper)")
    rows: list[tuple[Cell, ...]] = []
    for label, key in STRUCTURE_ROWS.items():
        cells: list[Cell] = [label]
        for terrain, structure in found.items():
            cells.append(structure_cell(structure, key))
            if terrain.variant in STRUCTURE_PAPER:
                cells.append(STRUCTURE_PAPER[terrain.variant].get(key))
        rows.append(tuple(cells))
    return Table(
        f"structure{name}",
        "Structure of the link graph (Section 4.1)",
        tuple(columns),
        rows,
        "Exponents by maximum likelihood, bounded at the largest degree; the paper does not say how"
        " it fitted. Mean path: over pairs that have one; the paper calls it the diameter."
        " Reachable: share of the pages that links lead to from the start, over time.",
    )


STRUCTURE_ROWS = {
    "pages": "pages",
    "links between pages": "edges",
    "exponent of out-links": "out",
    "exponent of in-links": "in",
    "clustering": "clustering",
    "mean path": "path",
    "reachable": "reachable",
    "new pages a day": "new",
    "changed pages a day": "changed",
}


def structure_cell(found: Structure, key: str) -> Cell:
    """Return one number of a structure."""
    out, into = found.out_degrees.bounded, found.in_degrees.bounded
    cells: dict[str, Cell] = {
        "pages": found.size.pages,
        "edges": found.size.edges,
        "out": out.exponent if out else None,
        "in": into.exponent if into else None,
        "clustering": found.clustering.average,
        "path": found.paths.mean if found.paths else None,
        "reachable": found.reach_over_time.share,
        "new": found.growth.new,
        "changed": found.growth.changed,
    }
    return cells[key]


def table_2(name: str, title: str, values: Values) -> Table:
    """Return the paper's table: its two fleets beside ours, and the controls."""
    columns = ["measure"]
    for kind in PAPERS_KINDS:
        columns += [kind, f"{kind} (paper)"]
    rows = []
    for measure in MEASURES:
        cells: list[Cell] = [measure]
        for kind in PAPERS_KINDS:
            paper = PAPER[kind].get(measure.partition(",")[0])
            cells += [Measured.of(values[kind][measure]), paper]
        cells += [Measured.of(values[kind][measure]) for kind in CONTROLS]
        rows.append(tuple(cells))
    return Table(f"table-2{name}", f"Table 2, {title}", (*columns, *CONTROLS), rows, NOTE)


NOTE = (
    "Mean ± standard deviation of the runs. Freshness and age are means over windows of time,"
    " as in Fig. 3. By URL: of each URL the last relevant document found; by document: all relevant"
    " documents found; by window: those found in the window. The paper does not say which."
    " Share of the news found: of all contents that were young enough at any time. Paths: those"
    " that were finished; one of full length has 100 pages, which the paper takes to be the rule."
)


def table_beyond(name: str, title: str, values: Values) -> Table:
    """Return what goes beyond the paper, with the controls again."""
    kinds = (*BEYOND, *PAPERS_KINDS, *CONTROLS)
    rows: list[tuple[Cell, ...]] = [
        (measure, *(Measured.of(values[kind][measure]) for kind in kinds)) for measure in MEASURES
    ]
    note = " ".join(f"{kind}: {KINDS[kind].about}." for kind in (*BEYOND, *CONTROLS))
    return Table(f"beyond{name}", f"Beyond the paper, {title}", ("measure", *kinds), rows, note)


HOME_PAGE = "home page"
CHOICE_FLEETS = (*PAPERS_KINDS, "random order", HOME_PAGE)
CHOICE_MEASURES = (
    "relevant",
    "sent efficiency",
    "freshness, by document",
    "age (h), by URL",
    *PATHS,
)


def choices_table(values: Mapping[str, Values]) -> Table:
    """Return RL and WL beside controls under each reading of what the paper leaves open."""
    rows: list[tuple[Cell, ...]] = [
        (choice, fleet, *(Measured.of(found[fleet][name]) for name in CHOICE_MEASURES))
        for choice, found in values.items()
        for fleet in CHOICE_FLEETS
    ]
    return Table(
        "choices",
        "What the paper leaves open, one at a time",
        ("choice", "fleet", *CHOICE_MEASURES),
        rows,
        "The first rows are how we read the paper; all others differ from them in one thing. For"
        " polling the home page only what counts as news can differ.",
    )
