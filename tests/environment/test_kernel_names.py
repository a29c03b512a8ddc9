from __future__ import annotations

import pytest

from arch_kernels_v1.options import all_kernels, chosen_kernels
from kernels.catalog import load_catalog


def test_all_kernels_are_in_the_sites_order():
    assert all_kernels() == list(load_catalog())
    assert all_kernels()[0] == "dot_f32"


@pytest.mark.parametrize(
    "asked",
    [
        ["sort_u32", "dot_f32"],
        "sort_u32,dot_f32",
        ["sort_u32,dot_f32"],
        "sort_u32 dot_f32",
        ["sort_u32, dot_f32"],
        ["sort_u32", "dot_f32", "sort_u32"],
    ],
)
def test_lists_and_texts_with_commas_are_understood(asked):
    assert chosen_kernels(asked) == ["sort_u32", "dot_f32"]


@pytest.mark.parametrize("asked", ["dot", ["dot_f32", "dot"], "dot_f32,dot"])
def test_an_unknown_kernel_is_refused_with_those_there_are(asked):
    with pytest.raises(ValueError, match=r"no kernel 'dot'; there are: dot_f32, prefix_sum_i64"):
        chosen_kernels(asked)


@pytest.mark.parametrize("asked", ["", [], ",", [""]])
def test_no_kernel_at_all_is_refused(asked):
    with pytest.raises(ValueError, match="no kernel is named"):
        chosen_kernels(asked)


@pytest.mark.parametrize("asked", [None, 3, [3], [None]])
def test_what_is_no_name_is_refused(asked):
    with pytest.raises(ValueError, match="by name"):
        chosen_kernels(asked)
