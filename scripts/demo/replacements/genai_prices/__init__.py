"""A list of prices without any: the page leaves out the published prices of models."""
