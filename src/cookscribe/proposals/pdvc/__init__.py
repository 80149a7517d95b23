"""PDVC (Wang et al. 2021) in plain PyTorch: feature tracks to candidate events."""
