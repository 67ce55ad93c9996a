"""Studies of mate in n."""
