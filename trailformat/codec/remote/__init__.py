"""Files in stores: their URLs, requests to stores, paths of such files, and open files whose bytes are fetched."""
