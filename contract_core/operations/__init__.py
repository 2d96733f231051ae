"""How are the promises kept over time? What consumers see now, how old it is, and what was refused since."""
