"""The result of `foragers.compare`: of one or several tasks, to print, plot and export."""

from __future__ import annotations

import csv
from collections.abc import Collection, Sequence
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

from foragers.core.files import write
from foragers.core.plugins.loading import needed
from foragers.evaluation.comparison import report, several_report, standings
from foragers.evaluation.comparison.result import MEASURED, Result
from foragers.evaluation.comparison.several import SeveralResults, everyone
from foragers.evaluation.plots.harvest import plot_harvest

WIDTH = 80
LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
        "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
        "±": r"$\pm$", "–": "--", "<": r"$<$", ">": r"$>$", "“": "``", "”": "''",
    }
)  # fmt: skip


class Comparison:
    """The result of a comparison.

    `tasks` has a result for each world and target.  `overall` combines them if there are several,
    and is None for one.  `folders` are the folders of the tasks, if they were kept.  For standings,
    `generated` has the names of the worlds that are generated; otherwise it is None.
    """

    def __init__(
        self,
        tasks: Sequence[Result],
        folders: Sequence[Path] = (),
        generated: Collection[str] | None = None,
    ) -> None:
        self.tasks = tuple(tasks)
        self.folders = tuple(folders)
        self.generated = generated
        self.overall = SeveralResults.of(tasks) if len(tasks) > 1 else None

    def tables(self) -> list[Table]:
        """Return the tables as printed on the command line: one, or those of the standings."""
        if self.generated is not None:
            return standings.tables(self.tasks, self.generated)
        if self.overall:
            return [several_report.table(self.overall)]
        return [report.table(self.tasks[0])]

    def explanation(self) -> str:
        """Return an explanation of the tables."""
        if self.generated is not None:
            return standings.SUMMARY
        if self.overall:
            return several_report.summary(self.overall)
        return report.summary(self.tasks[0])

    def rows(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return headings and rows of the table as texts."""
        if self.overall:
            return several_report.HEADINGS, list(several_report.rows(self.overall).values())
        only = self.tasks[0]
        downloads = report.shared_downloads(only)
        lines = [report.row(name, strategy, downloads) for name, strategy in report.ranked(only)]
        return report.HEADINGS, lines

    def title(self) -> str:
        """Return the title: what was compared."""
        return several_report.title(self.overall) if self.overall else report.title(self.tasks[0])

    def __repr__(self) -> str:
        console = Console(file=StringIO(), width=WIDTH, no_color=True, emoji=False)
        with console.capture() as capture:
            console.print(*self.tables())
        return capture.get().rstrip()

    def _repr_html_(self) -> str:
        """Return the table for a notebook."""
        inside = (
            several_report.html_table(self.overall)
            if self.overall
            else report.strategies(self.tasks[0])
        )
        return (
            f"<p><b>{escape(self.title())}</b></p>{inside}"
            f"<p><small>{escape(self.explanation())}</small></p>"
        )

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary for each run."""
        return [
            {
                "world": task.world,
                "topic": task.topic,
                "budget": task.budget,
                "reachable": task.reachable,
                "targets": task.targets,
                "strategy": name,
                "seed": run.seed,
                **{measure: getattr(run, measure) for measure in MEASURED},
                "closed": strategy.closed,
            }
            for task in self.tasks
            for name, strategy in everyone(task).items()
            for run in strategy.runs
        ]

    def to_pandas(self) -> Any:
        """Return a data frame with a row for each run; `closed` is that of all runs of a task."""
        return needed("pandas", "to_pandas()").DataFrame(self.to_dicts())

    def to_csv(self, path: str | Path | None = None) -> str | None:
        """Write the rows of `to_pandas` as CSV, or return them if no path is given."""
        lines = self.to_dicts()
        text = StringIO()
        writer = csv.DictWriter(text, list(lines[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
        if path is None:
            return text.getvalue()
        write(Path(path), text.getvalue().encode())
        return None

    def to_latex(self) -> str:
        """Return the table as LaTeX, for the package booktabs."""
        headings, lines = self.rows()
        body = [" & ".join(text.translate(LATEX) for text in line) + r" \\" for line in lines]
        return "\n".join(
            [
                rf"\begin{{tabular}}{{l{'r' * (len(headings) - 1)}}}",
                r"\toprule",
                " & ".join(text.translate(LATEX) for text in headings) + r" \\",
                r"\midrule",
                *body,
                r"\bottomrule",
                r"\end{tabular}",
                "",
            ]
        )

    def to_json(self) -> bytes:
        """Return the result in the format of `--json`."""
        result: Result | SeveralResults = self.overall or self.tasks[0]
        return msgspec.json.format(msgspec.json.encode(result), indent=1) + b"\n"

    def plot(self, path: str | Path = "harvest") -> Path:
        """Draw the curves as SVG, and as PNG too with matplotlib; return the file to look at."""
        if self.overall:
            return several_report.draw(self.overall, Path(path))
        return plot_harvest(self.tasks[0], Path(path))

    def save(self, out: str | Path) -> None:
        """Write result.json, the curves and report.html into a folder."""
        out = Path(out)
        write(out / "result.json", self.to_json())
        if self.generated is not None:
            text = standings.markdown(self.tasks, self.generated)
            write(out / "standings.md", text.encode())
        self.plot(out / "harvest")
        if self.overall is None:
            report.write_report(self.tasks[0], out)
            return
        for task, folder in zip(self.tasks, self.folders, strict=True):
            Comparison([task]).save(folder)
        several_report.write_report(self.overall, out, list(self.folders))
