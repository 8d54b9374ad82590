"""JSON Schemas inside stages and pipelines."""
