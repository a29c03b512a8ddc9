"""What templates call: numbers as text, links to exports and figures, the navigation. No computing, no queries."""
