"""A step of a small world in one compiled call, made of the kernels of the staged step."""
