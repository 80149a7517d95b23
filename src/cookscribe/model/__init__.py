"""The paper's model: tensors only, nothing of files or words on disk."""
