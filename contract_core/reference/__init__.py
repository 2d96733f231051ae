"""Pages of the documentation that are written from the code: every attribute of the language, and every rule."""
