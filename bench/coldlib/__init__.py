# SPDX-License-Identifier: MIT
"""The parts of bench/coldstart: arms, the protocol of the runs, statistics, table and chart."""
