"""Models in ONNX files: the catalogue, fetching, and running them."""
