"""Drawing the simulated kitchen: from a made-up recipe to the frames of a video."""
