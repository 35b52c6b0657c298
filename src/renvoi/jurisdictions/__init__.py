"""How each country's lawyers cite: data and examples, one file a jurisdiction."""
