"""Pages of the documentation that are written from the code: every attribute of the language, every rule, every command."""
