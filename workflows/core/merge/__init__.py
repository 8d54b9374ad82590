"""Three-way merges by meaning: the one merge of files, for git, pulls, folders and edits."""
