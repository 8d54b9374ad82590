"""Inspector forms and the outline."""
