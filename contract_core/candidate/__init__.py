"""What was offered: one delivery, taken once, decoded as the contract says, immutable under its digest."""
