"""Other software reads an exported Parquet file, and sees the same pages."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pandas
import polars
import pytest

from foragers.cli.main import main
from support.crawl_folders import crawl_folder
from support.worlds_by_hand import small_world

DATASETS = """
import sys, datasets
rows = datasets.load_dataset("parquet", data_files=sys.argv[1], cache_dir=sys.argv[2])["train"]
print(sorted(rows["url"]))
"""


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crawl")
    world = small_world({"home": ["a", "b"], "a": ["b"], "b": []}, texts={"a": "robot"})
    out = folder / "pages.parquet"
    assert (
        main(["export", str(crawl_folder(folder, world)), "--format", "parquet", "--out", str(out)])
        == 0
    )
    return out


def urls(file: Path) -> list[str]:
    """Return the URLs as pandas reads them."""
    found: list[str] = sorted(pandas.read_parquet(file)["url"])
    assert len(found) == 3
    return found


def test_polars_reads_it(exported: Path) -> None:
    assert sorted(polars.read_parquet(exported)["url"].to_list()) == urls(exported)


@pytest.mark.skipif(find_spec("duckdb") is None, reason="DuckDB is not installed")
def test_duckdb_reads_it(exported: Path) -> None:
    import duckdb

    with duckdb.connect() as database:
        database.execute(f"SELECT url FROM '{exported}' WHERE relevance >= 0 ORDER BY url")
        rows = database.fetchall()
    assert [url for (url,) in rows] == urls(exported)


@pytest.mark.skipif(find_spec("datasets") is None, reason="datasets is not installed")
def test_datasets_reads_it(exported: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DATASETS, str(exported), str(tmp_path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(urls(exported))
