"""What is told, when it is told again, and what follows from Discord's answers. Pure."""
