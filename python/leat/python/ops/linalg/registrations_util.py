# SPDX-License-Identifier: Apache-2.0
"""Hints of what is made of two LinearOperators."""


def combined_commuting_self_adjoint_hint(operator_a, operator_b):
    """Of a product of two that commute."""
    if operator_a.is_self_adjoint and operator_b.is_self_adjoint:
        return True
    if (operator_a.is_self_adjoint is True and operator_b.is_self_adjoint is False) or \
            (operator_a.is_self_adjoint is False and operator_b.is_self_adjoint is True):
        return False
    return None


def is_square(operator_a, operator_b):
    """Of a product."""
    if operator_a.is_square and operator_b.is_square:
        return True
    if operator_a.is_square is False and operator_b.is_square is False:
        m, l = operator_a.range_dimension.value, operator_b.domain_dimension.value
        if m is not None and l is not None:
            return m == l
    if (operator_a.is_square != operator_b.is_square) and (
            operator_a.is_square is not None and operator_b.is_square is not None):
        return False
    return None


def combined_commuting_positive_definite_hint(operator_a, operator_b):
    """Of a product of two that commute."""
    if operator_a.is_positive_definite is True and operator_a.is_self_adjoint is True and \
            operator_b.is_positive_definite is True and operator_b.is_self_adjoint is True:
        return True
    return None


def combined_non_singular_hint(operator_a, operator_b):
    """Of a product of two square ones."""
    if operator_a.is_non_singular is False or operator_b.is_non_singular is False:
        return False
    return operator_a.is_non_singular and operator_b.is_non_singular
