"""SQL of the collection engine. Lock order everywhere: header, cycle rows, host, postings by id; never upgrade."""
