"""The broad phase: pairs of parts that come close."""
