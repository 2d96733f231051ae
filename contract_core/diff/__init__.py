"""Did the promise itself change? Two contracts → facts; facts, judged by one table → the version that they need and who must agree."""
