"""What the tests of the Dagster side start from."""

import pytest

from tests.assets.bench import Bench, quiet_instance


@pytest.fixture
def bench(tmp_path):
    with quiet_instance() as instance:
        yield Bench(tmp_path, instance)
