"""A fuzzer of its own: ``make fuzz SECONDS=600``, with SEED=, WORKERS=, CORPUS= and INPUT= where they are wanted.

anatomy     a record -> its regions and its fields
seeds       what is mutated: the fixtures, the real trail, the corpus
mutations   what is done to records and to bytes
behaviour   what an input brings about, as short texts
codec       what the codec and both kinds of kernels must do with an input
language    what the commands must do with it
kills       what SAVE and EXPORT leave behind when they are killed
fuzzer      inputs drawn and checked one after the other, the slow and the failing ones kept
campaign    processes that do so, a line a minute, a log
"""
