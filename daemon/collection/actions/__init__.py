"""What the collection engine does: one function, one transaction or one script of them."""
