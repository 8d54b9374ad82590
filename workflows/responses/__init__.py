"""Bodies of responses that the API and the pages share."""
