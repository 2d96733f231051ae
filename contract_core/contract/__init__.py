"""What was promised: a YAML file becomes one frozen `Contract`, or all of its problems at once. Nothing here reads data."""
