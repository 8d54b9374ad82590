"""Log lines and Prometheus metrics of one process."""
