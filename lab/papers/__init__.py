"""The numbers of the five papers beside ours: `facts` reads the numbers, a module per paper makes its tables, `page` writes docs/reference/papers.md."""
