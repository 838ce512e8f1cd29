"""What is measured of Evenhand. Each function runs in a process of its own and gives what it found."""
