"""What people use today, in an environment of its own (requirements.txt), where Evenhand is not installed."""
