"""The kernels: machine code over the bytes of trails, compiled once and kept."""
