"""What Hamilton is asked to check: that every frame has the shape that the nodes' annotations promise."""

import sys
import typing
from typing import Any

import pandas as pd
from hamilton.htypes import check_input_type
from hamilton.lifecycle import EdgeConnectionHook, NodeExecutionHook

from dataflows.tables import Table, columns, has_shape


class TableInputs(EdgeConnectionHook):
    """Lets a plain frame in where a node asks for a `Table`, if it has the table's columns and dtypes."""

    def check_edge_types_match(self, type_from: type, type_to: type, **_: Any) -> bool:
        """Between nodes, Hamilton's own check decides."""
        return False

    def validate_input(self, node_type: type, input_value: Any, **_: Any) -> bool:
        """Whether a value from outside fits its node."""
        if typing.get_origin(node_type) is Table:
            return has_shape(typing.get_args(node_type)[0], input_value)
        return check_input_type(node_type, input_value)


class SchemaCheck(NodeExecutionHook):
    """After each node: are these the columns and dtypes that its annotation promises?"""

    def run_before_node_execution(self, **_: Any) -> None:
        """Nothing to check yet."""

    def run_after_node_execution(
        self, *, node_name: str, node_return_type: type, result: Any, success: bool, **_: Any
    ) -> None:
        """Raise `TypeError` naming the node and both shapes."""
        interrupted = result is None and isinstance(sys.exception(), KeyboardInterrupt | SystemExit)
        if not success or interrupted or typing.get_origin(node_return_type) is not Table:
            return  # Hamilton calls an interrupted node successful
        row = typing.get_args(node_return_type)[0]
        if not has_shape(row, result):
            given = dict(result.dtypes) if isinstance(result, pd.DataFrame) else type(result).__name__
            raise TypeError(f"{node_name} promises {columns(row)}, and gives {given}")
