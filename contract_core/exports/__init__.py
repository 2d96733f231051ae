"""A contract, and the language it is written in, in other people's formats; one module each."""
