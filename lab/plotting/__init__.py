"""The figures of lab/plots.py: `looks` has the colours and markers, `figure` the data of a figure, `draw` draws it with matplotlib."""
