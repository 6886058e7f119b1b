"""The command line and what it is made of."""
