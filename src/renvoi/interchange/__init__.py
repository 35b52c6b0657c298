"""Benchmarks <-> the layouts others publish and read. One file a layout, holding a `Layout` of the same name."""
