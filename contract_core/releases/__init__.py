"""Every released version of every contract: kept for good, found by a pin, and what state each is in."""
