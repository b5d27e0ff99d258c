"""The keys, and what lines may become: letters of marks, grey text after the cursor."""
