"""Files in stores: their URLs, what a store is asked, paths that ask it, and open files whose bytes are fetched."""
