"""Tests of the codec, one module per source module."""
