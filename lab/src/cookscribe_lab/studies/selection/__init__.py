"""Which candidates make the story: the planner beside its rivals."""
