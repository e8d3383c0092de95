"""Speed and size, measured as ratios against a named peer in the same run; machines differ and are shared."""
