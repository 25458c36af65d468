"""Messages as a person reads them in Discord, in Korean or English, whatever a site's title holds. Pure."""
