import numpy
import pytest

import webnn


@pytest.fixture(scope="session")
def context():
    return webnn.MLContext(threads=1, keepConstants=True)


@pytest.fixture
def builder(context):
    return webnn.MLGraphBuilder(context)


@pytest.fixture
def random():
    return numpy.random.default_rng(1)
