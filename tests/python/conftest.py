import numpy
import pytest

import webnn
from networks import write_network


@pytest.fixture(scope="session")
def context():
    return webnn.MLContext(threads=1, keepConstants=True)


@pytest.fixture
def builder(context):
    return webnn.MLGraphBuilder(context)


@pytest.fixture
def random():
    return numpy.random.default_rng(1)


# A network in a file, examples for it, and what it makes of each of them.


@pytest.fixture
def path(tmp_path):
    return write_network(tmp_path / "net.webnn")


@pytest.fixture
def examples(random):
    return random.standard_normal((103, 16)).astype("float32")


@pytest.fixture
def expected(path, examples):
    model = webnn.load(path, threads=1)
    return numpy.concatenate([model(e[None])["y"] for e in examples])


@pytest.fixture(scope="module")
def cluster():
    """A client of two workers, processes of this machine."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True,
                                  dashboard_address=":0") as cluster:
        with distributed.Client(cluster) as client:
            yield client
