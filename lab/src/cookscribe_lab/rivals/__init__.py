"""The systems the paper compares with, compact: trained by the shared loop, scored by the same evaluation."""
