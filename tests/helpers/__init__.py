"""What several tests share: oracles, samples, small scenes and files, and where things are."""
