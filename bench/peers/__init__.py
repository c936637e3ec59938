"""The tables of bench/peers.py: `command` runs them, `targets` says what they are to show, `report` writes them down."""
