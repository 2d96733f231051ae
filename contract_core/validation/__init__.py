"""Does this candidate keep the promise? Obligations become one lazy query; its answer becomes a report."""
