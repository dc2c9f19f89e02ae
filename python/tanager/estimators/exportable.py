"""Taking a fitted classifier elsewhere: interchange formats, other libraries, a database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tanager.estimators.tables_only import check_tables
from tanager.exceptions import DataTypeError
from tanager.export import (
    DescribedNetwork,
    bif_text,
    networkx_graph,
    pgmpy_network,
    sql_select,
    xmlbif_text,
)
from tanager.output import written

__all__ = ["ExportableClassifier"]


class ExportableClassifier:
    """Exports of a classifier whose model is one network with its tables.

    Joined attributes become one variable of tuples, intervals of a numeric one named values, and "missing",
    where it is a category, a value.
    """

    def to_bif(self, path: str | Path | None = None, *, class_name: str = "class") -> str:
        """The network in the Bayesian interchange format; written to `path` where one is given.

        >>> from tanager import NaiveBayesClassifier
        >>> model = NaiveBayesClassifier().fit([["sun"], ["sun"], ["rain"]], ["out", "out", "in"])
        >>> print(*model.to_bif().splitlines()[2:8], sep="\\n")
        variable class {
          type discrete [ 2 ] { in, out };
        }
        variable x0 {
          type discrete [ 2 ] { rain, sun };
        }
        """
        return written(bif_text(self._described(class_name, "BIF holds")), path)

    def to_xmlbif(self, path: str | Path | None = None, *, class_name: str = "class") -> str:
        """The network in XMLBIF 0.3; written to `path` where one is given."""
        return written(xmlbif_text(self._described(class_name, "XMLBIF holds")), path)

    def to_networkx(self, *, class_name: str = "class") -> Any:
        """A directed graph of networkx; each node has `states`, `parents` and its `table`."""
        return networkx_graph(self._described(class_name, "the nodes of the graph hold"))

    def to_pgmpy(self, *, class_name: str = "class") -> Any:
        """A `DiscreteBayesianNetwork` of pgmpy with all tables."""
        return pgmpy_network(self._described(class_name, "pgmpy's DiscreteBayesianNetwork holds"))

    def to_sql(self, table: str, dialect: str = "sqlite") -> str:
        """One SELECT that scores the rows of a table: its columns, P(class) of every class, the prediction.

        `dialect` is "sqlite", "duckdb" or "postgres". Columns have the names that `fit` saw. NULL is missing;
        values that fit did not see count as unknown. The numbers are those of `predict_proba`.

        >>> import sqlite3
        >>> from tanager import NaiveBayesClassifier
        >>> model = NaiveBayesClassifier().fit([["sun"], ["sun"], ["rain"]], ["out", "out", "in"])
        >>> base = sqlite3.connect(":memory:")
        >>> _ = base.execute("CREATE TABLE days (x0 TEXT)")
        >>> _ = base.execute("INSERT INTO days VALUES ('rain'), ('snow')")
        >>> base.execute(model.to_sql("days")).fetchall()[0][-1]
        'in'
        >>> base.close()
        """
        return sql_select(self._described("class", "a SELECT holds"), table, dialect)

    def _described(self, class_name: str, what: str = "this export holds") -> DescribedNetwork:
        check_tables(self, what)
        if not isinstance(class_name, str):
            raise DataTypeError(f"class_name = {class_name!r} is not allowed: it is text")
        return DescribedNetwork.of(self, class_name)
