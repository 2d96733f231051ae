"""The same story, told to Dagster: contracts become landing, candidate and published assets, reports become asset checks."""
