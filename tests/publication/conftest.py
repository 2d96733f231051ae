"""One temporary environment per test."""

import pytest

from tests.publication.samples import Site


@pytest.fixture
def site(tmp_path) -> Site:
    return Site(tmp_path)
