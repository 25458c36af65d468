"""View of what each source can be relied on for: its abnormal days, its episodes, its days cut short by a budget."""
