import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from hymem.quantities import at_least, at_most, exponential, is_column


@pytest.mark.parametrize("column", [np.array([-1.0, 0.5, 2.0]), pd.Series([-1.0, 0.5, 2.0], index=[7, 8, 9])])
@pytest.mark.parametrize("function", [exponential, lambda x: at_least(0.0, x), lambda x: at_most(1.0, x)])
def test_a_column_comes_back_as_a_column_of_what_each_number_gives(function, column):
    answer = function(column)

    assert type(answer) is type(column)
    assert answer.tolist() == pytest.approx([function(number) for number in (-1.0, 0.5, 2.0)])


def test_a_number_is_no_column():
    assert (is_column(1.5), is_column(np.array([1.5]))) == (False, True)


def test_numbers_need_neither_numpy_nor_pandas():
    program = (
        "import sys; from hymem.ranking import standing; standing(0.5, 3.0, 30.0); "
        "import hymem.decay; hymem.decay.edge_status(0.5, 0, False, 0.15); "
        "import hymem.canonical, hymem.aliases, hymem.markdown, hymem.statements, hymem.times; "
        "sys.exit(bool({'numpy', 'pandas'} & sys.modules.keys()))"
    )

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
