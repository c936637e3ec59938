"""The tables of bench/peers.py: `command` runs them, `targets` contains the target values, `report` writes the results."""
