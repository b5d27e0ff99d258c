"""The kernels: machine code over the bytes of trails, compiled when the package is built."""
