"""A Dask cluster in threads of this process: no test waits for processes to start."""

import pytest


@pytest.fixture(scope="session")
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0",
        silence_logs="ERROR",
    ) as made:  # fmt: skip
        yield made.scheduler_address
