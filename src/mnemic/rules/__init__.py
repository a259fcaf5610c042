"""Pure rules: the result depends on the arguments alone; the time and random numbers are arguments."""
