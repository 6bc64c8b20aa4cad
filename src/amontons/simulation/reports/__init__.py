"""What is told of a step: its report, notes, contacts, sensors and times."""
