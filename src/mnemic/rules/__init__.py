"""Pure rules: the same arguments give the same answer; time and chance are arguments."""
