"""One module for each way to answer the same question; each runs in a process and an environment of its own."""
