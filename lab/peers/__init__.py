"""The tables of lab/peers.py: `command` runs them, `targets` contains the target values, `report` writes the results."""
