"""Makes the oracle importable for the tests beside it, and runs a test on every batch path."""

import sys
from pathlib import Path

import pytest
from turkpoker.evaluator._kernels import available_kernels, force_kernel, kernel_name

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(params=available_kernels())
def kernel(request):
    """Each path that this machine has, the usual one back afterwards."""
    before = kernel_name()
    force_kernel(request.param)
    yield request.param
    force_kernel(before)


@pytest.fixture
def usual_kernel():
    """For tests that go through the paths themselves: the usual one is back afterwards."""
    before = kernel_name()
    yield before
    force_kernel(before)
