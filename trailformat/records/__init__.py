"""One record: how it is framed, its header, its tokens, and what its data are made of."""
