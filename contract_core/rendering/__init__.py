"""Values → text and JSON documents for people and programs. All wording stands here, and no value from the data ever does."""
