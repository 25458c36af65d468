"""How a site is asked and read. Nothing here touches the database."""
