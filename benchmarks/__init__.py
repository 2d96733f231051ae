"""Our work and that of others side by side in one run: only the ratios of one run mean anything."""
