"""The routes, one router per noun."""
