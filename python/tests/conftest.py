import random

import pytest

WORDS = [f"word{i}" for i in range(5000)]


def pytest_addoption(parser):
    parser.addoption("--thorough", action="store_true", help="also run the tests marked thorough, as CI does at night")


def pytest_configure(config):
    config.addinivalue_line("markers", "thorough: another seed, type or partitioning of a test that always runs")


def pytest_collection_modifyitems(config, items):
    left = [] if config.getoption("--thorough") else [item for item in items if item.get_closest_marker("thorough")]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]


@pytest.fixture(scope="session")
def texts():
    """Two thousand texts of 40 words, every third of them like the one before but for the last word."""
    rng = random.Random(7)
    made = []
    for i in range(2000):
        if i % 3 == 2:
            made.append(made[-1].rsplit(" ", 1)[0] + " other")
        else:
            made.append(" ".join(rng.choice(WORDS) for _ in range(40)))
    return made


@pytest.fixture(scope="session")
def rows():
    """Six thousand rows for a cluster."""
    # Here, since `versions.sh` runs tests without the libraries of clusters.
    from cluster import generated

    return generated(6000, 11)


@pytest.fixture(scope="session")
def hard_rows():
    from cluster import hard

    return hard()
